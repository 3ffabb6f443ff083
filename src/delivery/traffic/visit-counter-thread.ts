import type { KeyObject } from 'node:crypto';
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type DatabaseOptions, openDatabase } from '../../catalog/db.ts';
import { type CountOptions, countSessions } from '../../catalog/statistics/sums/count-sessions-store.ts';
import type { SeenSession } from '../../catalog/statistics/sums/statistics-gain.ts';
import { type Delivery, keepDeliveries } from '../../catalog/statistics/sums/view-evidence-store.ts';
import { createPlaceViewer } from '../../catalog/statistics/visits/place-viewer.ts';
import { loadViewerSalt } from '../../catalog/statistics/visits/viewer-salt-store.ts';
import { openVisits, type SentBeacon } from '../../catalog/statistics/visits/visits.ts';
import { type LogLine, logEvent, setLogSink } from '../../lib/log/log-event.ts';
import { DEFAULT_LEVELS } from '../../lib/log/log-levels.ts';
import type { DerivedSecret } from '../../lib/secret-ring.ts';

// The thread of `visit-counter.ts`: reads and counts the messages that it receives.

const NICENESS = 5;

export type CounterData = {
  connection: DatabaseOptions;
  options: CountOptions;
  countsUniqueViewers: boolean;
};
/** A batch of data for the thread. `isLast`: no batch follows, and everything must be written immediately. */
export type CounterBatch = {
  beacons: SentBeacon[];
  estimates: SeenSession[];
  deliveries: Delivery[];
  /** Secrets of viewing tickets now, see `DerivedSecret`. */
  ticketSecrets: ReturnType<DerivedSecret<KeyObject>>;
  isLast: boolean;
};
/**
 * `taken` acknowledges a batch. `closed` follows the last batch, when everything is written or the time limit has
 * passed.
 */
export type CounterAnswer = { kind: 'taken' | 'closed' } | { kind: 'line'; line: LogLine };

// Both sides are our own code: `VisitCounter` sends exactly this data.
const { connection, options, countsUniqueViewers }: CounterData = workerData;
const { db } = openDatabase({ ...connection, max: 1 }, () => undefined);

const answer = (sent: CounterAnswer) => parentPort?.postMessage(sent);
setLogSink({
  role: 'edge',
  levels: DEFAULT_LEVELS,
  accessLog: 'off',
  write: (line) => answer({ kind: 'line', line }),
});
// Media takes precedence over statistics, which may lag by seconds. On Linux, each thread has its own priority;
// elsewhere, this would change the priority of the whole edge.
if (process.platform === 'linux') {
  try {
    setPriority(Math.max(NICENESS, getPriority()));
  } catch (err) {
    logEvent('thread.undemoted', { err });
  }
}
const loadSalt = (dayMs: number) => loadViewerSalt(db, dayMs, Date.now());
const saltError = (err: unknown) => logEvent('salt.unread', { err });

let secrets: CounterBatch['ticketSecrets'] | null = null;
const visits = openVisits({
  count: (sessions) => countSessions(db, sessions, options),
  ticketSecret: () => {
    if (secrets === null) throw new Error('Expected secrets with the first batch, got none.');
    return secrets;
  },
  keepDeliveries: (deliveries) => keepDeliveries(db, deliveries),
  countsByRate: options.countsByRate ?? false,
  placeViewer: countsUniqueViewers ? createPlaceViewer(loadSalt, saltError) : () => null,
});

parentPort?.on('message', async ({ beacons, estimates, deliveries, ticketSecrets, isLast }: CounterBatch) => {
  secrets = ticketSecrets;
  for (const delivery of deliveries) visits.deliver(delivery);
  for (const beacon of beacons) visits.take(beacon);
  // Bytes arrive as a plain `Uint8Array`.
  for (const session of estimates) visits.estimate({ ...session, heat: Buffer.from(session.heat) });
  answer({ kind: 'taken' });
  if (!isLast) return;
  await visits.close();
  answer({ kind: 'closed' });
});
