import type { SystemModel } from '../../../src/api/models/system.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { queueName, taskName } from '../base/task-words.ts';
import { amount, bytes, moment, plural } from '../base/words.ts';
import { Panel, Table } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { Backup } from './backup.tsx';
import { Encodes } from './encodes.tsx';
import { Nodes } from './nodes.tsx';

const LOOK_AGAIN_MS = 5_000;

/** State of the installation: queue, workers, sizes, scrub, versions. */
export function System() {
  const { value, error, again } = useLoaded<SystemModel>('/system');
  useRefresh(again, LOOK_AGAIN_MS);
  const found = value.value;
  return (
    <>
      <header class="place">
        <h1>{t('System')}</h1>
        {found !== null && (
          <span class="hint">
            {t('Millrace')} {found.Version}
          </span>
        )}
      </header>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {found !== null && <Figures system={found} />}
      {found !== null && <Work system={found} />}
      {found !== null && <Queue system={found} />}
      {found !== null && <Nodes />}
      {found !== null && <Encodes lines={found.Encodes} onChanged={again} />}
      {found !== null && <Rest system={found} />}
    </>
  );
}

function Figures({ system }: { system: SystemModel }) {
  const used = system.TotalBytes === null ? null : system.TotalBytes - (system.FreeBytes ?? 0);
  return (
    <div class="figures">
      <Figure
        name="Videos"
        value={amount(system.Videos)}
        hint={`${amount(system.Libraries)} ${t(system.Libraries === 1 ? 'library' : 'libraries')}`}
      />
      <Figure
        name="Stored"
        value={bytes(system.StoredBytes)}
        hint={system.Storage === 's3' ? t('in S3') : t('in a local folder')}
      />
      <Figure
        name="Waiting to encode"
        value={amount(sum(system.Queue.map(({ Waiting }) => Waiting)))}
        hint={t('{0} running', sum(system.Queue.map(({ Running }) => Running)))}
      />
      <section class="panel">
        <h2>{t('Disk')}</h2>
        {used === null || system.TotalBytes === null ? (
          <p class="hint">{t('No storage limit.')}</p>
        ) : (
          <>
            <p class="figure">{t('{0} free', bytes(system.FreeBytes ?? 0))}</p>
            <progress value={used} max={system.TotalBytes} aria-label={t('Disk used')} />
            <p class="hint">{t('of {0}', bytes(system.TotalBytes))}</p>
          </>
        )}
        <Host host={system.Host} />
      </section>
    </div>
  );
}

/** Encoding statistics: whether encoding keeps up, its speed, and its failures. */
function Work({ system: { Queue: lines, EncodeSpeed: speed, FailuresLastDay: failures } }: { system: SystemModel }) {
  const oldest = lines.flatMap(({ OldestAt }) => OldestAt ?? []).sort((a, b) => a.localeCompare(b))[0];
  return (
    <div class="figures">
      <Figure
        name="Queue age"
        value={oldest === undefined ? t('Nothing waits') : waitOf(oldest)}
        hint={oldest === undefined ? t('Encoders keep up.') : t('oldest task since {0}', moment(oldest))}
      />
      <Figure
        name="Encode speed"
        value={speed === null ? '–' : t('{0}× real time', amount(speed, 1))}
        hint={speed === null ? t('Nothing was encoded in the last 2 hours.') : t('per encoder, in the last 2 hours')}
      />
      <Figure
        name="Failures"
        value={amount(failures)}
        hint={failures === 0 ? t('no failed attempts in the last 24 hours') : t('failed attempts in the last 24 hours')}
      />
    </div>
  );
}

/** Formats the time since a time of the API. */
function waitOf(text: string): string {
  const sec = Math.max(0, (Date.now() - Date.parse(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`)) / 1000);
  if (sec < 90) return t('{0} s', Math.round(sec));
  return sec < 5400 ? t('{0} min', Math.round(sec / 60)) : t('{0} h', amount(sec / 3600, 1));
}

/** Load of the machine that runs the API process. */
function Host({ host: { Cores, LoadAverage, MemoryBytes, FreeMemoryBytes } }: { host: SystemModel['Host'] }) {
  return (
    <>
      <progress value={MemoryBytes - FreeMemoryBytes} max={MemoryBytes} aria-label={t('Memory in use')} />
      <p class="hint">
        {t('Memory: {0} free of {1}', bytes(FreeMemoryBytes), bytes(MemoryBytes))}
        <br />
        {t('Load: {0} on {1} cores', amount(LoadAverage, 1), Cores)}
      </p>
    </>
  );
}

function Figure({ name, value, hint }: { name: string; value: string; hint: string }) {
  return (
    <section class="panel">
      <h2>{tr(name)}</h2>
      <p class="figure">{value}</p>
      <p class="hint">{hint}</p>
    </section>
  );
}

function Queue({ system: { Queue: lines, Workers: workers } }: { system: SystemModel }) {
  return (
    <div class="columns">
      <Panel title={t('Encode queue')}>
        {lines.length === 0 ? (
          <p class="hint">{t('No tasks waiting or running.')}</p>
        ) : (
          <Table
            label={t('Encode queue')}
            head={[t('Type'), t('Queue'), t('Waiting'), t('Running'), t('Failed'), t('Oldest')]}
          >
            {lines.map(({ Queue: queue, Kind, Waiting, Running, Failed, OldestAt }) => (
              <tr key={`${queue} ${Kind}`}>
                <th scope="row">
                  {taskName(Kind)} <code class="hint">{Kind}</code>
                </th>
                <td>{queueName(queue)}</td>
                <td>{Waiting}</td>
                <td>{Running}</td>
                <td>{Failed}</td>
                <td class="one-line">{OldestAt === null ? '' : waitOf(OldestAt)}</td>
              </tr>
            ))}
          </Table>
        )}
      </Panel>
      <Panel title={t('Active workers')}>
        {workers.length === 0 ? (
          <p class="hint">{t('No active workers.')}</p>
        ) : (
          <ul class="rows">
            {workers.map(({ Owner, Tasks, Kinds }) => (
              <li key={Owner}>
                <code>{Owner}</code>
                <span class="hint">
                  {plural(Tasks, 'task')}: {Kinds.map(taskName).join(', ')}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </div>
  );
}

function Rest({ system }: { system: SystemModel }) {
  const { Scrub: scrub, Move: move } = system;
  return (
    <div class="columns">
      <Panel title={t('Integrity check')} hint={t('Verifies stored data and repairs damaged chunks.')}>
        {scrub === null ? (
          <p class="hint">{t('Not started yet.')}</p>
        ) : (
          <dl>
            <dt>{t('Round started')}</dt>
            <dd>{moment(scrub.RoundBeganAt)}</dd>
            <dt>{t('Read')}</dt>
            <dd>
              {plural(scrub.Objects, 'object')}, {bytes(scrub.Bytes)}
            </dd>
            <dt>{t('Damaged')}</dt>
            <dd>{scrub.Damaged}</dd>
            <dt>{t('Unreadable')}</dt>
            <dd>{scrub.Unread}</dd>
          </dl>
        )}
      </Panel>
      {move !== null && (
        <Panel title={t('Storage migration')} hint={t('Moves objects from the old storage to the new one.')}>
          {move.ObjectsLeft === 0 && move.UploadsLeft === 0 ? (
            <p>{t('Migration complete. You can remove MILLRACE_STORAGE_FROM.')}</p>
          ) : (
            <dl>
              <dt>{t('Remaining')}</dt>
              <dd>
                {plural(move.ObjectsLeft, 'object')}, {bytes(move.BytesLeft)}
              </dd>
              <dt>{t('Unfinished uploads in the old storage')}</dt>
              <dd>{amount(move.UploadsLeft)}</dd>
              <dt>{t('Last updated')}</dt>
              <dd>{moment(move.NotedAt)}</dd>
            </dl>
          )}
        </Panel>
      )}
      <Backup backup={system.Backup} />
      <Panel title={t('Versions')}>
        <dl>
          <dt>{t('Millrace')}</dt>
          <dd>{system.Version}</dd>
          <dt>{t('Node')}</dt>
          <dd>{system.NodeVersion}</dd>
          <dt>{t('PostgreSQL')}</dt>
          <dd>{system.DatabaseVersion}</dd>
          <dt>{t('Database')}</dt>
          <dd>{bytes(system.DatabaseBytes)}</dd>
          <dt>{t('In the trash')}</dt>
          <dd>{plural(system.TrashedVideos, 'video')}</dd>
        </dl>
      </Panel>
    </div>
  );
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
