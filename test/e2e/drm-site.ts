import { createServer, type Server } from 'node:http';
import { findScheme } from '../../src/media/drm/all.ts';
import { parseClearKeyRequest, writeClearKeyLicence } from '../../src/media/drm/clear-key.ts';
import { type ContentKeys, kidsOf, newContentKeys } from '../../src/media/drm/content-keys.ts';
import { encryptSegment } from '../../src/media/drm/encrypt-fragment.ts';
import { encryptInit } from '../../src/media/drm/encrypt-init.ts';
import { encryptHlsSegment, writeHlsAes128Line } from '../../src/media/drm/hls-aes128.ts';
import type { SchemeName } from '../../src/media/drm/protection-scheme.ts';
import type { ClearRendition } from '../../src/media/drm/read-test-protection.ts';
import { chooseLane } from '../../src/media/drm/sample-iv.ts';
import { writeHlsKeyLines } from '../../src/media/drm/signalling.ts';
import { openTrackCipher } from '../../src/media/drm/track-cipher.ts';

/** How the site protects its video: a scheme of common encryption, or whole segments. */
export type SiteProtection = SchemeName | 'aes-128';

/** A page server with one protected video and its licences. */
export type DrmSite = { url: string; licences(): number; close(): Promise<void> };

type Tracks = { video: ClearRendition; audio: ClearRendition };
type Protected = { init: Buffer; segments: Buffer[]; keyLines: string[] };

const MULTIVARIANT = [
  '#EXTM3U',
  '#EXT-X-VERSION:7',
  '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Sound",DEFAULT=YES,AUTOSELECT=YES,URI="audio.m3u8"',
  '#EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="avc1.64000d,mp4a.40.2",AUDIO="audio"',
  'video.m3u8',
].join('\n');

/** Serves the two tracks on a free port of this machine: `/`, `/master.m3u8`, `/licence` and all below. */
export async function startDrmSite(tracks: Tracks, protection: SiteProtection): Promise<DrmSite> {
  const keys = newContentKeys(protection === 'aes-128' ? 'cbcs' : protection);
  const files = new Map<string, Buffer>([
    ['/', Buffer.from('<!doctype html><title>DRM</title><video muted></video>')],
    ['/master.m3u8', Buffer.from(MULTIVARIANT)],
    ['/key', keys.groups.sd.key],
  ]);
  for (const [name, group] of [
    ['video', 'sd'],
    ['audio', 'audio'],
  ] as const) {
    const { init, segments, keyLines } = protectTrack(tracks[name], protection, keys, group);
    files.set(`/${name}.m3u8`, Buffer.from(writePlaylist(name, segments.length, keyLines)));
    files.set(`/${name}/init.mp4`, init);
    segments.forEach((segment, number) => {
      files.set(`/${name}/${number}.m4s`, segment);
    });
  }
  return listen(files, keys);
}

function protectTrack(
  clear: ClearRendition,
  protection: SiteProtection,
  keys: ContentKeys,
  group: 'sd' | 'audio',
): Protected {
  if (protection === 'aes-128') {
    const segments = clear.segments.map((segment, number) => encryptHlsSegment(segment, keys.groups.sd.key, number));
    return { init: clear.init, segments, keyLines: [writeHlsAes128Line('/key')] };
  }
  const scheme = findScheme(protection);
  const key = keys.groups[group];
  const cipher = openTrackCipher(clear.init, { scheme, key, lane: chooseLane(group) });
  return {
    init: encryptInit(clear.init, { scheme, key, videoKids: kidsOf(keys), psshBoxes: [] }),
    segments: clear.segments.map((segment, number) => encryptSegment(segment, cipher, number)),
    keyLines: writeHlsKeyLines('media', { scheme: protection, kid: key.kid }, [
      { name: 'clearKey', licenceUrl: '/licence' },
    ]),
  };
}

function writePlaylist(name: string, segments: number, keyLines: readonly string[]): string {
  return [
    ...[
      '#EXTM3U',
      '#EXT-X-VERSION:7',
      '#EXT-X-TARGETDURATION:2',
      '#EXT-X-MEDIA-SEQUENCE:0',
      '#EXT-X-PLAYLIST-TYPE:VOD',
    ],
    `#EXT-X-MAP:URI="${name}/init.mp4"`,
    ...keyLines,
    ...Array.from({ length: segments }, (_, number) => `#EXTINF:1.0,\n${name}/${number}.m4s`),
    '#EXT-X-ENDLIST',
  ].join('\n');
}

async function listen(files: ReadonlyMap<string, Buffer>, keys: ContentKeys): Promise<DrmSite> {
  let licences = 0;
  const server = createServer((request, response) => {
    const body = files.get(request.url ?? '');
    if (request.method === 'GET' && body !== undefined) {
      response.setHeader('content-type', request.url === '/' ? 'text/html' : 'application/octet-stream').end(body);
      return;
    }
    if (request.url !== '/licence') {
      response.writeHead(404).end();
      return;
    }
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => {
      licences += 1;
      response.end(writeClearKeyLicence(parseClearKeyRequest(text), Object.values(keys.groups)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${portOf(server)}`, licences: () => licences, close: () => closeServer(server) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Expected a TCP address.');
  return address.port;
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
