import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase, PROGRESS_CHANNEL } from './catalog/db.ts';
import { isMediaGone } from './catalog/media-state-store.ts';
import { connectionName, notedHealth, openDatabaseCheck, poolSize, whenRoleHasSlots } from './compose/connections.ts';
import { openDashboard } from './compose/dashboard.ts';
import { eventCursorSecret, openCountedLicences, openPackager } from './compose/drm.ts';
import { findEdgeUrl } from './compose/find-edge-url.ts';
import { openLanguageModel } from './compose/language-model.ts';
import { startNodeReport } from './compose/node-report.ts';
import { startNotifications } from './compose/notifications.ts';
import { openExporter } from './compose/open-exporter.ts';
import { openSettingsImporter } from './compose/open-settings-importer.ts';
import { openPlaces } from './compose/places.ts';
import { healthOnDuty, openDrain, watchCompatibility } from './compose/role-duty.ts';
import { collectRoleMetrics } from './compose/role-metrics.ts';
import { type KeyReport, openSecrets } from './compose/secrets.ts';
import {
  type OpenedStorage,
  openMover,
  openStorage,
  requireStore,
  type StorageWatch,
  watchStorage,
} from './compose/storage.ts';
import { openTranscribers } from './compose/transcribers.ts';
import { openTus } from './compose/tus.ts';
import { findVoiceDetector } from './compose/voice-detector.ts';
import { startWebhooks } from './compose/webhooks.ts';
import type { Role } from './config/roles.ts';
import type { RoleSettings } from './config/settings.ts';
import { usualDiskFloorBytes } from './jobs/uploads/require-space.ts';
import { Duty } from './lib/duty.ts';
import type { Guid } from './lib/guid.ts';
import { logEvent } from './lib/log/log-event.ts';
import type { SecretRing } from './lib/secret-ring.ts';
import { readVersion } from './lib/version.ts';
import { setMediaRules } from './media/ffmpeg/run-sandboxed.ts';
import { describeHealth, type Fleet, type HealthNotes, type RunningRole } from './service/health.ts';

/** `nodeId`: the id under which an ingest process owns streams. */
type StartedRole = Pick<RunningRole, 'listeners' | 'close'> & { nodeId?: Guid };

/** Provided to a role by its process. `fleet`: the state of all parts of the service, for `/healthz`. */
export type RoleHost = {
  fleet: () => Fleet;
  /** Closes the role and ends the process with exit code 0, after a drain. */
  leave(): void;
};

/** Slots for work that must not wait for long encodes: probes, first chunks, audio, thumbnails. */
const QUICK_SLOTS = 4;
/** Slots for downloads, which mostly wait for other machines. */
const FETCH_SLOTS = 4;
const SOURCE_CACHE_BYTES = 20e9;
/** Maximum time that a caller of the API waits for the store, in ms. The store's first check has finished by then. */
const STORE_ANSWER_MS = 20_000;

type Common = { settings: RoleSettings; database: Database; duty: Duty } & OpenedStorage & {
    watch: StorageWatch;
    secrets: SecretRing;
    notes: () => HealthNotes;
  };

/** Code of each role. Code that a role does not need is not even imported. */
const code = {
  api: () =>
    Promise.all([
      import('./api/start-api.ts'),
      import('./jobs/queue/queue.ts'),
      import('./lib/outbound/outbound.ts'),
      import('./catalog/publications/publication-watch-store.ts'),
      import('./adapters/storage/timed-storage.ts'),
    ]),
  edge: async () => await (await import('./compose/edge.ts')).loadEdge(),
  worker: () =>
    Promise.all([
      import('./jobs/all.ts'),
      import('./jobs/queue/queue.ts'),
      import('./jobs/encode/source-cache.ts'),
      import('./lib/outbound/outbound.ts'),
      import('./jobs/on-demand/segment-encoders.ts'),
      import('./jobs/queue/task-runner.ts'),
      import('./jobs/housekeeping/scrub.ts'),
    ]),
  ingest: () => Promise.all([import('./compose/ingest.ts')]),
} satisfies Record<Role, () => Promise<unknown>>;

/** Loads the code of a role before the role is started. */
export async function loadRole(role: Role): Promise<void> {
  await code[role]();
}

/** Time for the last report of a process that stops, in ms. Without it, the row of the process expires. */
const LAST_REPORT_MS = 1_000;

/** Starts one role. Resolves when it has opened everything that it needs. */
export async function startRole(role: Role, settings: RoleSettings, host: RoleHost): Promise<RunningRole> {
  const startedMs = performance.now();
  logEvent('role.started', { version: readVersion() });
  setMediaRules({ sandbox: settings.sandbox, allowsRareDecoders: settings.allowsRareDecoders });
  const named = { ...settings, database: { ...settings.database, application_name: connectionName(role) } };
  const database = openDatabase({ ...named.database, ...poolSize(role, settings.databaseConnections) }, (error) =>
    logEvent('database.connection-lost', { err: error }),
  );
  await whenRoleHasSlots(role, database);
  const duty = new Duty();
  const compatibility = await watchCompatibility(database, duty);
  let reportKeys: (keys: KeyReport) => Promise<unknown> = async () => undefined;
  const secrets = await openSecrets(settings, database, async (keys) => await reportKeys(keys));
  await requireStore(settings);
  const opened = await openStorage(settings, database);
  const watch = await watchStorage(opened, { writes: role !== 'edge' });
  const notes = () => ({ store: opened.store.problem(), secrets: secrets.problem() });
  // The node report uses the database after the role has closed.
  const roleDatabase = { ...database, close: async () => undefined };
  const common = { settings: named, database: roleDatabase, duty, ...opened, watch, secrets: secrets.ring, notes };
  const stopCollecting = collectRoleMetrics(role, common);
  const { nodeId, ...running } = await startOne(role, common, host);
  const drain = openDrain({ role, duty, leave: host.leave });
  const report = await startNodeReport(role, { database, duty, drain, refreshKeys: secrets.refresh }, nodeId);
  reportKeys = report.keys;
  logEvent('role.ready', { listeners: running.listeners, durationMs: performance.now() - startedMs });
  return {
    ...running,
    health: healthOnDuty(duty, notedHealth(openDatabaseCheck(database))),
    duty,
    storage: () => watch.last(),
    notes,
    async close() {
      const stoppingMs = performance.now();
      logEvent('role.draining', {});
      stopCollecting();
      compatibility.close();
      await secrets.close();
      watch.close();
      try {
        await opened.store.close().finally(() => running.close());
      } finally {
        await Promise.race([report.close(), sleep(LAST_REPORT_MS, undefined, { ref: false })]);
        await database.close();
      }
      logEvent('role.stopped', { durationMs: performance.now() - stoppingMs });
    },
  };
}

async function startOne(role: Role, common: Common, host: RoleHost): Promise<StartedRole> {
  switch (role) {
    case 'api':
      return startApiRole(common, host);
    case 'edge':
      return startEdgeRole(common);
    case 'worker':
      return startWorkerRole(common);
    case 'ingest':
      return startIngestRole(common);
  }
}

async function startApiRole(common: Common, host: RoleHost): Promise<StartedRole> {
  const { settings, database, duty, storage, watch, secrets } = common;
  const [{ startApi }, { openSendOnlyQueue }, { createOutbound }, { watchPublications }, { createTimedStorage }] =
    await code.api();
  const { openRoleFirewall } = await import('./compose/firewall.ts');
  const onError = (error: unknown) => logEvent('queue.failed', { err: error });
  const queue = await openSendOnlyQueue({ pool: database.pool, onError });
  const outbound = createOutbound({ allow: settings.outboundAllow });
  const tus = await openTus(common, queue);
  const counted = await openCountedLicences(settings, { db: database.db, outbound });
  const api = await startApi({
    host: settings.host,
    port: settings.port,
    tls: settings.tls,
    publicUrl: settings.publicUrl,
    version: readVersion(),
    dashboard: openDashboard(),
    edgeUrl: await findEdgeUrl(settings, host.fleet),
    ownHosts: settings.ownHosts,
    sessionDays: settings.sessionDays,
    db: database.db,
    queue,
    storage: createTimedStorage(storage, STORE_ANSWER_MS),
    secretBox: secrets.box,
    trustedProxies: settings.trustedProxies,
    cursorSecret: secrets.derive(eventCursorSecret),
    firewall: openRoleFirewall(),
    place: openPlaces(settings),
    serverZone: hostname().split('.', 1)[0] ?? 'api',
    packager: await openPackager(settings, { db: database.db, secretBox: secrets.box }, outbound),
    licences: counted.licences,
    findSpeech: await openTranscribers(settings.transcriber, { ...settings, outbound }),
    translates: settings.languageModel !== null,
    sendsMail: settings.mail !== null,
    exportsToFolders: settings.exportFolder !== null,
    outbound,
    health: () => describeHealth(host.fleet(), watch.last(), usualDiskFloorBytes, common.notes()),
    watchProgress: (listener) => watchPublications(database.pool, listener, PROGRESS_CHANNEL),
    refusal: () => duty.refusal,
    mounts: [{ prefix: '/tusupload', handle: tus.handle }],
    diskFloorBytes: usualDiskFloorBytes,
  });
  return {
    listeners: { api: api.port },
    async close() {
      await Promise.all([tus.close(), api.close()]);
      await counted.close();
      await outbound.close();
      await queue.close();
      await database.close();
    },
  };
}

async function startEdgeRole(common: Common): Promise<StartedRole> {
  const { database } = common;
  const { openEdge } = await import('./compose/edge.ts');
  const edge = await openEdge(common);
  return {
    listeners: { edge: edge.port },
    async close() {
      await edge.close();
      await database.close();
    },
  };
}

async function startIngestRole(common: Common): Promise<StartedRole> {
  const [{ openIngest }] = await code.ingest();
  return openIngest(common);
}

async function startWorkerRole(common: Common): Promise<StartedRole> {
  const { settings, database, duty, storage, store, move, secrets } = common;
  const [
    { allJobs, allTasks },
    { openQueue },
    { createSourceCache },
    { createOutbound },
    { followDemand, SegmentEncoders },
    { startTaskRunner },
    { startScrubber },
  ] = await code.worker();
  const report = (error: Error) => logEvent('worker.failed', { err: error });
  const isGone = (payload: object) => isMediaGone(database.db, payload);
  const queue = await openQueue({ pool: database.pool, onError: report, isGone });
  const outbound = createOutbound({ allow: settings.outboundAllow });
  const shared = {
    db: database.db,
    queue,
    storage,
    store,
    sources: await createSourceCache(storage, {
      parent: join(settings.dataDir, 'cache'),
      maxBytes: SOURCE_CACHE_BYTES,
      report,
    }),
    owner: `${hostname()}/${process.pid}`,
    report,
  };
  const { encodeThreads: threads, quarantineSec, makesPreviews, sessionDays } = settings;
  const segments = new SegmentEncoders(threads);
  const deps = {
    ...shared,
    ...{ outbound, secretBox: secrets.box },
    findTranscriber: await openTranscribers(settings.transcriber, { ...settings, outbound }),
    voice: await findVoiceDetector(),
    languageModel: await openLanguageModel(settings.languageModel, outbound),
    packager: await openPackager(settings, { db: database.db, secretBox: secrets.box }, outbound),
    importSettings: openSettingsImporter({ db: database.db, secretBox: secrets.box, storage }),
    exporter: openExporter(settings, { db: database.db, secretBox: secrets.box, storage }),
    ...{ threads, quarantineSec, makesPreviews, sessionDays, segments },
  };
  await queue.run(allJobs, deps, { quickSlots: QUICK_SLOTS, longSlots: 1, fetchSlots: FETCH_SLOTS, exportSlots: 1 });
  const slots = { viewers: Math.max(2, threads), quick: QUICK_SLOTS, long: threads };
  const tasks = await startTaskRunner({ deps, pool: database.pool, slots, tasks: allTasks });
  const demand = await followDemand({ ...shared, pool: database.pool, encoders: segments, slots: slots.viewers });
  const webhooks = await startWebhooks(common);
  const notifications = await startNotifications(common);
  const bytesPerSec = settings.scrubBytesPerSec;
  const scrubber = bytesPerSec === 0 ? null : startScrubber({ ...shared, bytesPerSec });
  const mover = move === null ? null : await openMover(move, database, store);
  let stopped: Promise<unknown> | null = null;
  /** Aborts the running work and returns it to the queue, once. */
  const stopWork = () => {
    const parts = [queue, tasks, webhooks, notifications, demand, scrubber, mover];
    stopped ??= Promise.all(parts.map((part) => part?.close()));
    return stopped;
  };
  duty.onEnd(() => void stopWork().catch((err: unknown) => logEvent('worker.failed', { err })));
  return {
    listeners: {},
    async close() {
      await stopWork();
      await outbound.close();
      await database.close();
    },
  };
}
