import { createSecretKey } from 'node:crypto';
import path from 'node:path';
import { readWafSettings } from '../../src/catalog/libraries/library-settings.ts';
import { readDeliverySettings } from '../../src/catalog/publications/delivery-settings.ts';
import type { Publication } from '../../src/catalog/publications/publication.ts';
import { openFirewall } from '../../src/catalog/shield/firewall/open-firewall.ts';
import { readRuleTexts } from '../../src/compose/firewall.ts';
import { loadPlayerAssets } from '../../src/delivery/player/load-player-assets.ts';
import { startEdge } from '../../src/delivery/start-edge.ts';
import { parseGuid } from '../../src/lib/guid.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { openSendFile } from '../../src/lib/send-file.ts';
import { encodeFragmentTable } from '../../src/media/cmaf/fragment-table.ts';
import { readSegmentTable } from '../../src/media/presentation/published-rendition.ts';
import { createEdgeStorage } from '../../test/delivery/edge-storage.ts';
import { testViewing } from '../../test/support/viewing.ts';
import { findZone } from './delivery-zone.ts';

// The edge as a separate process, over the objects in a given folder and one video with `count` chunks of `segments`
// segments each. Prints its port when it listens.
const [folder = '', segmentBytes = '', segments = '', count = ''] = process.argv.slice(2);
const storage = createEdgeStorage(folder);
const mediaId = parseGuid('00000000-0000-7000-8000-000000000001');
const renditionId = parseGuid('00000000-0000-7000-8000-000000000002');
if (mediaId === null || renditionId === null) throw new Error('Expected well-formed names.');

const edge = await startEdge({
  host: '127.0.0.1',
  port: 0,
  publications: { load: async (_, known) => known ?? makePublication(mediaId, renditionId) },
  loadPolicy: async (ref) => (ref.by === 'name' ? findZone(ref.name) : null),
  watch: () => ({ close: async () => undefined }),
  requests: { put: async () => undefined, drop: async () => undefined, dropAll: async () => undefined },
  storage,
  sendFile: await openSendFile((error) => {
    throw error;
  }),
  player: await loadPlayerAssets(),
  secretBox: createSecretBox(Buffer.alloc(32)),
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
  // The firewall is compiled when a request first needs it. Media requests never do.
  firewall: openFirewall(readRuleTexts, (error) => {
    throw error;
  }),
  loadWaf: async () => ({ ...readWafSettings({}), blocks: true }),
  // One client simulates many clients, so raise its rate limit.
  limits: { clientRate: { perSec: 1_000_000, burst: 1_000_000 } },
});
process.stdout.write(`${edge.port}\n`);
process.once('SIGTERM', () => void edge.close());

function makePublication(media: NonNullable<typeof mediaId>, rendition: NonNullable<typeof renditionId>): Publication {
  const perChunk = Number(segments);
  const chunks = Array.from({ length: Number(count) }, (_, index) => ({
    firstSegment: index * perChunk,
    startTick: index * perChunk * 4_000,
    durationTicks: perChunk * 4_000,
    table: readSegmentTable(encodeFragmentTable(fragmentsOf(perChunk, Number(segmentBytes))), perChunk),
    // Every chunk has the same few objects, because only delivery is measured.
    storageKey: path.posix.join(
      '1',
      media,
      rendition,
      '0-1.cmaf',
    ) as Publication['renditions'][number]['chunks'][number]['storageKey'],
  }));
  const total = perChunk * Number(count);
  const startTicks = Array.from({ length: total }, (_, index) => index * 4_000);
  const cutList = { timescale: 1_000, startTicks, endTicks: total * 4_000, grid: { kind: 'source' } } as const;
  return {
    libraryId: 1,
    ...{ mediaId: media, collectionId: null, visibility: 'public' },
    revision: 1,
    ...{ pullZoneName: 'vz-1', policyRevision: 1 },
    title: 'bench',
    description: null,
    state: 'finished',
    settings: readDeliverySettings({}),
    stateReason: null,
    encodeProgressPercent: 100,
    durationMs: total * 4_000,
    ...{ widthPx: 1920, heightPx: 1080, frameRate: 24 },
    thumbnailKey: null,
    ...{ images: null, waveform: null },
    thumbnailFileName: 'thumbnail.jpg',
    ...{ thumbnailBlurhash: null, chapters: [] },
    sourceKey: null,
    sourceContainer: null,
    captions: [],
    metaTags: [],
    packages: [],
    renditions: [
      {
        ...{ id: rendition, timelineId: rendition },
        kind: 'video',
        state: 'finished',
        isActive: true,
        isOnDemand: false,
        codecString: 'avc1.640028',
        rung: 1080,
        widthPx: 1920,
        heightPx: 1080,
        language: 'und',
        name: '',
        isDefault: true,
        timescale: 1_000,
        cutList,
        planned: null,
        ...{ keyGroup: 'hd', ivPrefix: 1 },
        init: Buffer.alloc(800),
        chunks,
      },
    ],
  };
}

/** Returns two fragments per segment, like an encode with a keyframe every 2 s. */
function fragmentsOf(perChunk: number, bytes: number) {
  return Array.from({ length: perChunk * 2 }, (_, index) => ({
    prefixBytes: 100,
    payloadBytes: bytes / 2 - 100,
    samples: 48,
    startsSegment: index % 2 === 0,
  }));
}
