import { createServer, type Server } from 'node:http';
import { findScheme } from '../../src/media/drm/encryption/all.ts';
import { encryptInit } from '../../src/media/drm/encryption/encrypt-init.ts';
import { openTrackCipher } from '../../src/media/drm/encryption/track-cipher.ts';
import { parseClearKeyRequest, writeClearKeyLicence } from '../../src/media/drm/keys/clear-key.ts';
import { kidsOf, newContentKeys } from '../../src/media/drm/keys/content-keys.ts';
import type { ContentKeys, SchemeName } from '../../src/ports/drm-key-source.ts';
import { type ClearRendition, encryptCopy } from '../support/media/read-test-protection.ts';

/** A page server with one protected video and its licences. */
export type DrmSite = { url: string; licences(): number; close(): Promise<void> };

type Tracks = { video: ClearRendition; audio: ClearRendition };
type Protected = { init: Buffer; segments: Buffer[] };

/** Serves the two tracks on a free port of this machine: `/`, `/licence` and the files of each. */
export async function startDrmSite(tracks: Tracks, protection: SchemeName): Promise<DrmSite> {
  const keys = newContentKeys(protection);
  const files = new Map<string, Buffer>([['/', Buffer.from('<!doctype html><title>DRM</title><video muted></video>')]]);
  for (const [name, group] of [
    ['video', 'sd'],
    ['audio', 'audio'],
  ] as const) {
    const { init, segments } = protectTrack(tracks[name], protection, keys, group);
    files.set(`/${name}/init.mp4`, init);
    segments.forEach((segment, number) => {
      files.set(`/${name}/${number}.m4s`, segment);
    });
  }
  return listen(files, keys);
}

function protectTrack(
  clear: ClearRendition,
  protection: SchemeName,
  keys: ContentKeys,
  group: 'sd' | 'audio',
): Protected {
  const scheme = findScheme(protection);
  const key = keys.groups[group];
  const cipher = openTrackCipher(clear.init, { scheme, key, ivPrefix: group === 'sd' ? 1 : 2 });
  return {
    init: encryptInit(clear.init, { scheme, key, videoKids: kidsOf(keys), psshBoxes: [] }),
    segments: clear.segments.map((segment, number) => encryptCopy(segment, { cipher, number })),
  };
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
