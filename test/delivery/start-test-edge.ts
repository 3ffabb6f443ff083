import { createSecretKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createShareCommentStore } from '../../src/catalog/comments/share-comment-store.ts';
import { createSegmentRequestStore } from '../../src/catalog/on-demand/segment-request-store.ts';
import { loadPlaylist } from '../../src/catalog/playlists/playlist-store.ts';
import { createPublicationStore } from '../../src/catalog/publications/publication-store.ts';
import { watchPublications } from '../../src/catalog/publications/publication-watch-store.ts';
import { loadZonePolicy } from '../../src/catalog/pull-zones/zone-policy-store.ts';
import { createShareCodeStore } from '../../src/catalog/shares/share-code-store.ts';
import { findShare, findShareById } from '../../src/catalog/shares/share-store.ts';
import { createShieldEventStore } from '../../src/catalog/shield/events/shield-event-store.ts';
import { openFirewall } from '../../src/catalog/shield/firewall/open-firewall.ts';
import { createShieldSettingsStore } from '../../src/catalog/shield/shield-settings-store.ts';
import { ViewerAuthorizer } from '../../src/catalog/viewers/viewer-authorizer.ts';
import { readRuleTexts } from '../../src/compose/firewall.ts';
import type { EdgeDeps } from '../../src/delivery/edge-deps.ts';
import { loadPlayerAssets } from '../../src/delivery/player/load-player-assets.ts';
import { startEdge } from '../../src/delivery/start-edge.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { createOutbound } from '../../src/lib/outbound/outbound.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { openSendFile } from '../../src/lib/send-file.ts';
import { captureLog } from '../support/capture-log.ts';
import type { TestDatabase } from '../support/database.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { testViewing } from '../support/viewing.ts';
import { createEdgeStorage } from './edge-storage.ts';

export const SESSION_SECRET = createSecretKey(Buffer.alloc(32, 9));

/** Creates a folder for a test file's objects, and edges over it and the test's database. */
export async function createEdgeFixture(database: TestDatabase) {
  const folder = await mkdtemp(path.join(tmpdir(), 'mr-edge-'));
  const storage = createEdgeStorage(folder);
  const player = await loadPlayerAssets();
  const secretBox = createSecretBox(TEST_SECRET);
  const outbound = createOutbound({ allow: ['127.0.0.0/8'] });
  return {
    folder,
    storage,
    async start(change: Partial<EdgeDeps> = {}) {
      const { lines } = captureLog(['warn', 'error']);
      const edge = await startEdge({
        host: '127.0.0.1',
        port: 0,
        publications: createPublicationStore(database.db),
        loadPolicy: (ref) => loadZonePolicy({ db: database.db, secretBox }, ref),
        loadShare: (token) => findShare(database.db, token),
        loadShareById: (id) => findShareById(database.db, id),
        mailer: null,
        shareCodes: createShareCodeStore(database.db),
        shareComments: createShareCommentStore(database.db),
        loadPlaylist: (key) => loadPlaylist(database.db, key),
        watch: (listener) => watchPublications(database.pool, listener),
        requests: createSegmentRequestStore(database.db, newGuid()),
        storage,
        sendFile: await openSendFile((error) => {
          throw error;
        }),
        player,
        secretBox,
        viewers: new ViewerAuthorizer({ outbound }),
        sessionSecret: () => [SESSION_SECRET],
        viewing: testViewing(),
        licences: null,
        edgeUrl: null,
        apiUrl: null,
        ownHosts: ['127.0.0.1', 'localhost', 'edge.test'],
        trustedProxies: [],
        locator: { locate: () => ({ country: '', asn: '' }) },
        events: createShieldEventStore(database.db),
        serverZone: 'TEST',
        firewall: openFirewall(readRuleTexts, (error) => {
          throw error;
        }),
        loadWaf: createShieldSettingsStore(database.db).loadUnzoned,
        ...change,
      });
      return { ...edge, lines, base: `http://127.0.0.1:${edge.port}` };
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

export type EdgeFixture = Awaited<ReturnType<typeof createEdgeFixture>>;
export type TestEdge = Awaited<ReturnType<EdgeFixture['start']>>;
