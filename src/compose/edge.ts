import { hostname } from 'node:os';
import type { Database, Db } from '../catalog/db.ts';
import type { RoleSettings } from '../config/settings.ts';
import type { EdgeDeps } from '../delivery/edge-deps.ts';
import type { Duty } from '../lib/duty.ts';
import { newGuid } from '../lib/guid.ts';
import { logEvent } from '../lib/log/log-event.ts';
import type { SecretRing } from '../lib/secret-ring.ts';
import { openSendFile } from '../lib/send-file.ts';
import type { Storage } from '../ports/storage.ts';
import { openAsnLater } from './asn.ts';
import { openEdgeLicences, playSessionSecret } from './drm.ts';
import { openRoleFirewall } from './firewall.ts';
import { openLiveSource } from './live-source.ts';
import { openMailer } from './open-mailer.ts';
import { openViewers } from './open-viewers.ts';

type Parts = { settings: RoleSettings; database: Database; storage: Storage; duty: Duty; secrets: SecretRing };

/** Loads the code of the edge. */
export function loadEdge() {
  return Promise.all([
    import('../delivery/start-edge.ts'),
    import('../catalog/publications/publication-store.ts'),
    import('../catalog/publications/publication-watch-store.ts'),
    import('../catalog/pull-zones/zone-policy-store.ts'),
    import('../catalog/shield/events/shield-event-store.ts'),
    import('./viewing.ts'),
    import('../delivery/player/load-player-assets.ts'),
    import('../catalog/on-demand/segment-request-store.ts'),
    import('../catalog/shield/shield-settings-store.ts'),
    import('../adapters/geo/mmdb.ts'),
    loadShares(),
  ]);
}

function loadShares() {
  return Promise.all([
    import('../catalog/shares/share-store.ts'),
    import('../catalog/playlists/playlist-store.ts'),
    import('../catalog/shares/share-code-store.ts'),
    import('../catalog/comments/share-comment-store.ts'),
  ]);
}

/** Starts the edge. The caller that opened the database closes it after the edge. */
export async function openEdge({
  settings,
  database,
  storage,
  duty,
  secrets,
}: Parts): Promise<{ port: number; close(): Promise<void> }> {
  const [edges, publications, watches, policies, events, views, player, requests, shield, countries, shares] =
    await loadEdge();
  const secretBox = secrets.box;
  const { db } = database;
  const viewing = await views.openViewing(settings, { db, secrets });
  const geo = await countries.openMmdb(settings.countryDatabase);
  const asnOf = openAsnLater(settings);
  const mailer = await openMailer(settings.mail);
  const way = await openEdgeLicences(settings, { db });
  const owners = await openViewers(settings);
  const edge = await edges.startEdge({
    host: settings.host,
    port: settings.edgePort,
    refusal: () => duty.refusal,
    tls: settings.tls,
    publications: publications.createPublicationStore(db),
    loadPolicy: (ref) => policies.loadZonePolicy({ db, secretBox }, ref),
    ...openShares(db, shares),
    mailer,
    watch: (listener) => watches.watchPublications(database.pool, listener),
    requests: requests.createSegmentRequestStore(db, newGuid()),
    storage,
    live: openLiveSource(secrets, database),
    sendFile: await openSendFile((error) => logEvent('sendfile.missing', { err: error })),
    player: await player.loadPlayerAssets(),
    secretBox,
    sessionSecret: secrets.derive(playSessionSecret),
    licences: way.licences,
    viewers: owners.viewers,
    edgeUrl: settings.edgeUrl,
    apiUrl: settings.publicUrl,
    ownHosts: settings.ownHosts,
    trustedProxies: settings.trustedProxies,
    locator: { locate: (address) => ({ country: geo.countryOf(address) ?? '', asn: asnOf(address) ?? '' }) },
    viewing,
    events: events.createShieldEventStore(db),
    serverZone: hostname().split('.', 1)[0] ?? 'edge',
    firewall: openRoleFirewall(),
    loadWaf: shield.createShieldSettingsStore(db).loadUnzoned,
  });
  return {
    port: edge.port,
    async close() {
      await edge.close();
      await Promise.all([way.close(), owners.close()]);
      mailer?.close();
    },
  };
}

type ShareDeps = Pick<EdgeDeps, 'loadShare' | 'loadShareById' | 'loadPlaylist' | 'shareCodes' | 'shareComments'>;

function openShares(db: Db, [shares, playlists, codes, comments]: Awaited<ReturnType<typeof loadShares>>): ShareDeps {
  return {
    loadShare: (token) => shares.findShare(db, token),
    loadShareById: (id) => shares.findShareById(db, id),
    loadPlaylist: (key) => playlists.loadPlaylist(db, key),
    shareCodes: codes.createShareCodeStore(db),
    shareComments: comments.createShareCommentStore(db),
  };
}
