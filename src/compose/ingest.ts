import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Database } from '../catalog/db.ts';
import { listen } from '../catalog/listen-store.ts';
import { stopStream } from '../catalog/live/live-stream.ts';
import { createPublishStore } from '../catalog/live/publishing/publish-store.ts';
import { createLiveStore, LIVE_CHANNEL } from '../catalog/live/streams/live-store.ts';
import { WebhookStatus } from '../catalog/webhooks/webhook.ts';
import { announce } from '../catalog/webhooks/webhook-store.ts';
import type { RoleSettings } from '../config/settings.ts';
import { startLiveNode } from '../ingest/live/live-node.ts';
import { measurePublishing } from '../ingest/live/measure-publishing.ts';
import { openRelays } from '../ingest/rtmp/open-relays.ts';
import type { Duty } from '../lib/duty.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { createAddressRules } from '../lib/outbound/address-rules.ts';
import { createOutbound } from '../lib/outbound/outbound.ts';
import { Refused } from '../lib/refused.ts';
import type { SecretRing } from '../lib/secret-ring.ts';
import type { Storage } from '../ports/storage.ts';
import { openPackager } from './drm.ts';
import { endpointsOf, openListeners, reachableHost } from './ingest-listeners.ts';
import { feedSecretOf } from './live-source.ts';
import { openLiveFolder } from './open-live-folder.ts';

/** Maximum publishers per process. */
const CAPACITY = 300;
/**
 * V8 counts media, which is outside its heap, towards the limit at which it collects the whole heap. That limit is low
 * here: with 60 streams, V8 collected 4 times a second and used a third of the process's CPU.
 */
const COLLECT_LESS = '--heap-growing-percent=200';

type Deps = { settings: RoleSettings; database: Database; storage: Storage; duty: Duty; secrets: SecretRing };

/**
 * Starts the part that accepts publishers: the owner of their streams, and one listener per protocol. `close` also
 * closes the database.
 */
export async function openIngest({ settings, database, storage, duty, secrets }: Deps) {
  setFlagsFromString(COLLECT_LESS);
  const folder = join(settings.dataDir, 'live');
  const { nodeId, release } = await openLiveFolder(folder);
  const report = (error: Error) => logEvent('live.failed', { err: error });
  const shared = { db: database.db, secretBox: secrets.box };
  const streams = createLiveStore(shared);
  const rules = createAddressRules(settings.outboundAllow);
  const publishing = createPublishStore(shared);
  const outbound = createOutbound({ allow: settings.outboundAllow });
  const packager = await openPackager(settings, shared, outbound);
  const publicHost = settings.ingestHost ?? reachableHost(settings.host);
  const isSecure = settings.ingestCertificate !== null || settings.tls !== null;
  let listeners: Record<string, number> = {};
  const node = await startLiveNode({
    db: database.db,
    storage,
    publishing,
    nodeId,
    host: settings.host,
    feedHost: settings.feedHost ?? reachableHost(settings.host),
    feedSecret: secrets.derive(feedSecretOf),
    journalFolder: join(folder, 'journal'),
    keptFolder: join(folder, 'kept'),
    markFolder: join(folder, 'marks'),
    capacity: CAPACITY,
    protect: (key, signal) => packager.protectNew(key, signal),
    ladderCores: settings.liveCores,
    region: settings.region,
    openRelays: (requests) => openRelays(requests, { rules, report }),
    endpoints: () => endpointsOf(publicHost, listeners, isSecure),
    stopIdle: async ({ key }) =>
      void (await streams.change(key, stopStream, () => announce(key, WebhookStatus.liveEnded))),
    listen: ({ changed, connected }) =>
      listen(database.pool, LIVE_CHANNEL, { onPayload: changed, onConnected: connected, onError: report }),
    report,
  });
  const publish = measurePublishing(async (request) => {
    const { off } = duty;
    if (off === null) return await node.publish(request);
    logEvent('publisher.refused', { protocol: request.protocol, address: request.remote, reason: off.reason });
    throw new Refused('unavailable', off.reason);
  });
  let closed: Promise<void> | null = null;
  const closeNode = () => {
    closed ??= node.close(duty.off?.reason);
    return closed;
  };
  // A draining process keeps its streams until load balancers have noticed.
  duty.onEnd(({ state }) => {
    if (state === 'incompatible') void closeNode().catch(report);
  });
  const open = await openListeners({ settings, publish, publishing, report });
  listeners = open.listeners;
  return {
    listeners,
    nodeId,
    async close() {
      await closeNode();
      await open.close();
      await outbound.close();
      await database.close();
      release();
    },
  };
}
