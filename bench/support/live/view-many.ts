import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

// Many viewers of one stream in one process: with low latency, by blocking reloads and parts, or as plain players, by a
// reload and a segment every two seconds. Arguments: `low-latency` or `plain`, the number of viewers, and the URLs of
// the media playlists. Prints the received bytes once a second.
const [kind = '', count = '', ...playlists] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const RELOAD_MS = 2_000;
let bytes = 0;

for (let viewer = 0; viewer < Number(count); viewer += 1) {
  for (const playlist of playlists) void (kind === 'plain' ? viewPlain(playlist) : viewLowLatency(playlist));
  await sleep(2_000 / Number(count));
}
setInterval(() => process.stdout.write(`${bytes}\n`), 1_000);

async function viewLowLatency(playlist: string): Promise<never> {
  let query = '';
  let known = new Set<string>();
  for (;;) {
    const text = (await fetchBytes(`${playlist}${query}`)).toString();
    const parts = [...text.matchAll(/^#EXT-X-PART:.*URI="([^"]+)"/gm)].map(([, uri = '']) => uri);
    const added = known.size === 0 ? parts.slice(-1) : parts.filter((uri) => !known.has(uri));
    for (const uri of added) await fetchBytes(new URL(uri, playlist).href);
    known = new Set(parts);
    query = nextQuery(text);
  }
}

async function viewPlain(playlist: string): Promise<never> {
  let last = '';
  for (;;) {
    const startedMs = performance.now();
    const text = (await fetchBytes(playlist)).toString();
    const newest = text.match(/^[^#\n]+$/gm)?.at(-1) ?? '';
    if (newest !== '' && newest !== last) await fetchBytes(new URL(newest, playlist).href);
    last = newest;
    await sleep(Math.max(0, RELOAD_MS - (performance.now() - startedMs)));
  }
}

/** Returns the next request of a client (RFC 8216bis section 6.2.5.2), as a delta update. */
function nextQuery(text: string): string {
  const [, first = '0'] = /#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(text) ?? [];
  const [, skipped = '0'] = /#EXT-X-SKIP:SKIPPED-SEGMENTS=(\d+)/.exec(text) ?? [];
  const whole = Number(first) + Number(skipped) + (text.match(/^#EXTINF/gm)?.length ?? 0);
  const open = text.slice(text.lastIndexOf('#EXTINF')).match(/^#EXT-X-PART:/gm)?.length ?? 0;
  return `?_HLS_msn=${whole}&_HLS_part=${open}&_HLS_skip=YES`;
}

function fetchBytes(url: string): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  get(url, { agent }, (response) => {
    const pieces: Buffer[] = [];
    response.on('data', (piece: Buffer) => {
      bytes += piece.length;
      pieces.push(piece);
    });
    response.on('error', reject);
    response.on('end', () =>
      response.statusCode === 200
        ? resolve(Buffer.concat(pieces))
        : reject(new Error(`${response.statusCode} for ${url}`)),
    );
  }).on('error', reject);
  return promise;
}
