import type { ComponentChildren } from 'preact';
import type { VideoActivityModel, WhyModel } from '../../../src/api/models/activity.ts';
import type { VideoPlayDataModel } from '../../../src/api/models/play-data.ts';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { copyText } from '../base/copy-text.ts';
import { said, t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { mayWrite, session } from '../base/session.ts';
import { taskName, taskState } from '../base/task-words.ts';
import { isEncoding, moment } from '../base/words.ts';
import { CancelEncode } from '../parts/cancel-encode.tsx';
import { Panel, Table } from '../parts/fields.tsx';
import { Loading, Notice } from '../parts/parts.tsx';
import { TestAddress } from '../parts/test-address.tsx';
import { toast } from '../parts/toasts.tsx';
import { Attempts } from './attempts.tsx';
import type { PartProps } from './part-props.ts';
import { playDataPath } from './play-data-path.ts';
import { RemedyButton } from './remedy-button.tsx';

/** Explanations of how the video plays, with buttons for remedies, followed by running work and past events. */
export function Activity(props: PartProps) {
  const why = useLoaded<WhyModel>(`${props.path}/why`);
  const activity = useLoaded<VideoActivityModel>(`${props.path}/activity`);
  const error = why.error.value ?? activity.error.value;
  return (
    <div class="stack">
      {error !== null && <Notice kind="error">{error}</Notice>}
      {why.value.value !== null ? <Why {...props} why={why.value.value} /> : error === null && <Loading error={null} />}
      {session.value?.role === 'owner' && <TryAddress libraryId={props.libraryId} videoId={props.video.guid} />}
      {activity.value.value !== null && (
        <Tasks activity={activity.value.value}>
          {mayWrite() && isEncoding(props.video) && (
            <div class="row">
              <CancelEncode path={props.path} onCancelled={props.onChanged} />
            </div>
          )}
        </Tasks>
      )}
    </div>
  );
}

/** Tests the playlist's URL as requested by players. Only for owners, since the rules require the account's key. */
function TryAddress({ libraryId, videoId }: { libraryId: number; videoId: string }) {
  const play = useLoaded<VideoPlayDataModel>(playDataPath(libraryId, videoId));
  const library = useLoaded<VideoLibraryModel>(`/videolibrary/${libraryId}`);
  const address = play.value.value?.videoPlaylistUrl ?? null;
  const zoneId = library.value.value?.PullZoneId;
  if (address === null || zoneId === undefined) return null;
  return <TestAddress zoneId={zoneId} address={address} />;
}

function Why({ why, ...props }: PartProps & { why: WhyModel }) {
  const share = async () => {
    const lines = why.findings.map(({ sentence }) => `- ${said(sentence)}`);
    if (await copyText([`Video ${why.guid}`, ...lines].join('\n'))) toast(t('Copied. It contains no secrets.'));
  };
  return (
    <Panel title={t('Why?')}>
      <ul class="findings">
        {why.findings.map((finding) => (
          <li key={finding.sentence} class={`finding ${finding.level}`}>
            <span>{said(finding.sentence)}</span>
            <RemedyButton finding={finding} {...props} />
          </li>
        ))}
      </ul>
      <div class="row">
        <button type="button" class="quiet" onClick={share}>
          {t('Copy as text')}
        </button>
      </div>
    </Panel>
  );
}

type TasksProps = { activity: VideoActivityModel; children: ComponentChildren };

function Tasks({ activity: { tasks, messages, failedAttempts }, children }: TasksProps) {
  return (
    <div class="stack">
      <Panel title={t('Encode tasks')}>
        {tasks.length === 0 ? (
          <p class="hint">
            {t('No tasks waiting or running for this video. Tasks are removed once the video is finished.')}
          </p>
        ) : (
          <Table
            label={t('Encode tasks')}
            head={[t('Task'), t('Segments'), t('State'), t('Done'), t('Failed attempts'), t('Reason'), t('Since')]}
          >
            {tasks.map((task) => (
              <tr key={task.id}>
                <th scope="row">
                  {[taskName(task.kind), ...task.renditions].join(' · ')}
                  <details class="raw">
                    <summary>{t('Details')}</summary>
                    <code>{[task.kind, task.state, task.id, task.worker].filter(Boolean).join(' · ')}</code>
                  </details>
                </th>
                <td>{segmentsOf(task)}</td>
                <td>{taskState(task.state)}</td>
                <td class="one-line">{Math.round(task.done * 100)} %</td>
                <td>{task.failures + task.deaths}</td>
                <td>{said(task.reason ?? '')}</td>
                <td class="one-line">{moment(task.dateStarted ?? task.dateCreated)}</td>
              </tr>
            ))}
          </Table>
        )}
        {children}
      </Panel>
      {failedAttempts.length > 0 && <Attempts attempts={failedAttempts} />}
      {messages.length > 0 && (
        <Panel title={t('Messages')}>
          <ul class="rows">
            {messages.map(({ timeStamp, message }) => (
              <li key={`${timeStamp} ${message ?? ''}`}>
                <span>
                  {said(message ?? '')} <span class="hint block">{moment(timeStamp)}</span>
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </div>
  );
}

/** Formats the segments of a task. An empty range is an empty text. */
function segmentsOf({ fromSegment, toSegment }: VideoActivityModel['tasks'][number]): string {
  const last = toSegment - 1;
  if (last < fromSegment) return '';
  return last === fromSegment ? `${last}` : `${fromSegment}–${last}`;
}
