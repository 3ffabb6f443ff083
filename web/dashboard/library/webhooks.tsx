import { useSignal } from '@preact/signals';
import type { WebhookEventModel } from '../../../src/api/models/webhook.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t, tr, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { moment } from '../base/words.ts';
import { SelectField, Table } from '../parts/fields.tsx';
import { Empty, Link, Notice, Pager } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

type EventPage = { totalItems: number; items: WebhookEventModel[] };

const PER_PAGE = 30;
const STATES = [
  ['', 'All'],
  ['pending', 'Pending'],
  ['delivered', 'Delivered'],
  ['dead', 'Failed'],
] as const;
const TONES = { pending: 'busy', delivered: 'good', dead: 'bad' } as const;

/** Every message that the service sent or is retrying, with its body and the receiver's response. */
export function Webhooks({ libraryId }: { libraryId: number }) {
  const state = useSignal('');
  const page = useSignal(1);
  const path = `/library/${libraryId}/webhooks`;
  const { value, error, again } = useLoaded<EventPage>(
    `${path}?state=${state.value}&page=${page.value}&itemsPerPage=${PER_PAGE}`,
  );
  const running = useAction();
  const test = () =>
    running.run(async () => {
      await api('POST', `${path}/test`);
      toast(t('Test queued. Its result appears in the list.'));
      again();
    });
  const resend = (guid: string) =>
    running.run(async () => {
      await api('POST', `${path}/${guid}/resend`);
      toast(t('Queued for resending.'));
      again();
    });
  const found = value.value;
  return (
    <div class="stack">
      <div class="filters">
        <SelectField
          label={t('State')}
          value={state.value}
          choices={trAll(STATES)}
          onChange={(chosen) => (state.value = chosen)}
        />
        <button type="button" onClick={again}>
          {t('Refresh')}
        </button>
        <span class="push" />
        <button type="button" class="primary" disabled={running.isBusy.value} onClick={test}>
          {t('Send test')}
        </button>
      </div>
      {(error.value ?? running.error.value) !== null && (
        <Notice kind="error">{error.value ?? running.error.value}</Notice>
      )}
      {found?.items.length === 0 ? (
        <Empty title={t('No deliveries yet')}>
          <p>{t('Set a webhook URL under General to be notified when a video changes state.')}</p>
        </Empty>
      ) : (
        <Table
          label={t('Deliveries')}
          head={[t('Time'), t('Event'), t('State'), t('Attempts'), t('Last response'), t('Actions')]}
        >
          {found?.items.map((event) => (
            <tr key={event.guid}>
              <td>{moment(event.dateCreated)}</td>
              <td>
                <Happened event={event} />
              </td>
              <td>
                <span class={`chip ${TONES[event.state]}`}>
                  {tr(STATES.find(([state]) => state === event.state)?.[1] ?? event.state)}
                </span>
              </td>
              <td>{event.attempts}</td>
              <td>{event.lastAnswer}</td>
              <td>
                <button type="button" onClick={() => resend(event.guid)}>
                  {t('Resend')}
                </button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {found !== null && <Pager page={page} total={found.totalItems} perPage={PER_PAGE} />}
    </div>
  );
}

/** Sentences for the numbers of WebhookStatus. */
const EVENTS: Readonly<Record<number, string>> = {
  0: 'Video queued',
  1: 'Video is being processed',
  2: 'Video is being encoded',
  3: 'Video ready',
  4: 'Resolution finished',
  5: 'Video failed',
  6: 'Upload started',
  7: 'Upload finished',
  8: 'Upload failed',
  9: 'Captions generated',
  10: 'Title or description generated',
};

/** The video of test events, which does not exist. */
const TEST_VIDEO = '00000000-0000-0000-0000-000000000000';

/** The event in words with a link to its video, and the body that was sent. */
function Happened({ event: { videoLibraryId, videoGuid, status } }: { event: WebhookEventModel }) {
  const body = JSON.stringify({ VideoLibraryId: videoLibraryId, VideoGuid: videoGuid, Status: status });
  return (
    <>
      {videoGuid === TEST_VIDEO ? (
        t('Test event')
      ) : (
        <Link to={{ name: 'video', libraryId: videoLibraryId, videoId: videoGuid }}>{tr(EVENTS[status] ?? body)}</Link>
      )}
      <details>
        <summary class="hint">{t('Body')}</summary>
        <code class="wrapped">{body}</code>
      </details>
    </>
  );
}
