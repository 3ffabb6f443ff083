import { createSecretKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DrmPackage } from '../../src/catalog/drm/drm-package.ts';
import { readWafSettings } from '../../src/catalog/libraries/library-settings.ts';
import { readDeliverySettings } from '../../src/catalog/publications/delivery-settings.ts';
import type { Publication } from '../../src/catalog/publications/publication.ts';
import { loadPlayerAssets } from '../../src/delivery/player/load-player-assets.ts';
import { startEdge } from '../../src/delivery/start-edge.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { openSendFile } from '../../src/lib/send-file.ts';
import { encodeFragmentTable } from '../../src/media/cmaf/fragment-table.ts';
import { readInitSegment } from '../../src/media/cmaf/init-segment.ts';
import { formatContentKeys, newContentKeys } from '../../src/media/drm/keys/content-keys.ts';
import { readSegmentTable } from '../../src/media/presentation/published-rendition.ts';
import { createEdgeStorage } from '../../test/delivery/edge-storage.ts';
import { FRAGMENTED, runTool } from '../../test/support/media/read-test-media.ts';
import { splitRendition } from '../../test/support/media/read-test-protection.ts';
import { testViewing } from '../../test/support/viewing.ts';
import { makeZonePolicy } from '../../test/support/zone-policy.ts';

// The edge as a separate process over one clip: unprotected in library 1, with Enterprise DRM in library 2 and basic
// DRM in library 3. Encrypted bytes are not cached. When it listens, it prints its port, the clip's segments and the
// folder of its rendition.
const [clip = ''] = process.argv.slice(2);
const { stdout: stream } = await runTool('ffmpeg', [
  ...['-v', 'error', '-nostdin', '-i', clip, '-map', '0:v', '-c', 'copy'],
  ...[...FRAGMENTED, 'pipe:1'],
]);
const { init, segments } = splitRendition(stream);
const folder = await mkdtemp(path.join(tmpdir(), 'mr-bench-'));
const storage = createEdgeStorage(folder);
const storageKey = await storage.write('1/film/0-1.cmaf', Buffer.concat(segments));
const secretBox = createSecretBox(Buffer.alloc(32, 1));
const [mediaId, renditionId] = [newGuid(), newGuid()];

const edge = await startEdge({
  host: '127.0.0.1',
  port: 0,
  publications: { load: async ({ libraryId }, known) => known ?? makePublication(libraryId) },
  loadPolicy: async (ref) =>
    makeZonePolicy(ref.by === 'name' ? Number(ref.name.slice(-1)) : ref.by === 'library' ? ref.libraryId : 1),
  requests: { put: async () => undefined, drop: async () => undefined, dropAll: async () => undefined },
  watch: () => ({ close: async () => undefined }),
  storage,
  sendFile: await openSendFile(() => undefined),
  player: await loadPlayerAssets(),
  secretBox,
  viewers: { judge: async () => ({ kind: 'denied', reason: '', untilMs: 0 }) },
  sessionSecret: () => [createSecretKey(Buffer.alloc(32))],
  viewing: testViewing(),
  licences: null,
  loadShare: async () => null,
  loadShareById: async () => null,
  loadPlaylist: async () => null,
  mailer: null,
  shareCodes: { put: async () => undefined, take: async () => false },
  shareComments: { list: async () => [], add: () => Promise.reject(new Error('Expected no comment.')) },
  apiUrl: null,
  edgeUrl: null,
  ownHosts: [],
  trustedProxies: [],
  locator: { locate: () => ({ country: '', asn: '' }) },
  events: { append: async () => undefined, read: async () => [], dropBefore: async () => undefined },
  serverZone: 'bench',
  firewall: { ready: async () => null, current: () => null },
  loadWaf: async () => readWafSettings({}),
  limits: { protectedCacheBytes: 0, objectCacheBytes: 0 },
});
process.stdout.write(`${JSON.stringify({ port: edge.port, segments: segments.length, mediaId, renditionId })}\n`);
process.once('SIGTERM', () => void edge.close().then(() => rm(folder, { recursive: true })));

function makePublication(libraryId: number): Publication {
  const drm = { enabled: libraryId > 1, version: libraryId === 2 ? 'enterprise' : 'basic' };
  const { timescale, codecString } = readInitSegment(init);
  const cutList = { timescale, startTicks: segments.map((_, index) => index), endTicks: segments.length } as const;
  const table = readSegmentTable(encodeFragmentTable(segments.map(fragmentOf)), segments.length);
  const named = { title: '', description: null, stateReason: null, pullZoneName: `vz-${libraryId}` };
  const shape = { durationMs: 30_000, widthPx: 1920, heightPx: 1080, frameRate: 24, encodeProgressPercent: 100 };
  const files = {
    thumbnailKey: null,
    thumbnailBlurhash: null,
    chapters: [],
    images: null,
    waveform: null,
    thumbnailFileName: '',
    sourceKey: null,
    sourceContainer: null,
  };
  const rendition = { codecString, rung: 1080, widthPx: 1920, heightPx: 1080, language: 'und', name: '', timescale };
  const place = { kind: 'video', state: 'finished', isActive: true, isDefault: true, isOnDemand: false } as const;
  const chunk = { firstSegment: 0, startTick: 0, durationTicks: segments.length, table, storageKey };
  return {
    ...{
      libraryId,
      mediaId,
      collectionId: null,
      visibility: 'public',
      revision: 1,
      policyRevision: 1,
      state: 'finished',
      captions: [],
      metaTags: [],
    },
    ...{ ...named, ...shape, ...files },
    settings: readDeliverySettings({ drm }),
    packages: libraryId === 2 ? [makePackage()] : [],
    renditions: [
      {
        ...{
          id: renditionId,
          timelineId: renditionId,
          ...place,
          ...rendition,
          cutList: { ...cutList, grid: { kind: 'source' } },
        },
        ...{ planned: null, keyGroup: 'hd', ivPrefix: 1, init, chunks: [chunk] },
      },
    ],
  };
}

function makePackage(): DrmPackage {
  const keysSealed = secretBox.seal(formatContentKeys(newContentKeys('cbcs')));
  return { number: 1, scheme: 'cbcs', keysSealed, signals: [], retiredAt: null };
}

function fragmentOf(segment: Buffer) {
  const prefixBytes = segment.readUInt32BE(0) + 8;
  return { prefixBytes, payloadBytes: segment.length - prefixBytes, samples: 1, startsSegment: true };
}
