import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type DownloadSink, download } from './download.ts';
import { createOutbound } from './outbound.ts';

const LIMITS = {
  ...{ maxBytes: 1e6, timeoutMs: 60_000, idleTimeoutMs: 10_000, minBytesPerSec: 1, maxFailures: 1, backoffMs: 1 },
};

/** Downloads a file that its server sends with a Content-Encoding. Returns the stored bytes. */
async function fetchWith(encoding: string): Promise<string> {
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end('bytes'),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const outbound = createOutbound({ allow: ['127.0.0.0/8'] });
  onTestFinished(async () => {
    await outbound.close();
    server.close();
  });
  let stored = Buffer.alloc(0);
  const sink: DownloadSink = {
    size: async () => stored.length,
    append: async (_, body) => {
      stored = Buffer.concat([stored, await buffer(body)]);
      return stored.length;
    },
    reset: async () => {
      stored = Buffer.alloc(0);
    },
  };
  const url = `http://127.0.0.1:${Object(server.address()).port}/film.mp4`;
  await download({ outbound, url, headers: {}, sink, limits: LIMITS }, AbortSignal.timeout(30_000));
  return stored.toString();
}

test.each(['', 'identity', 'none', 'utf-8', 'aws-chunked'])(
  'stores a file with Content-Encoding "%s"',
  async (name) => {
    expect(await fetchWith(name)).toBe('bytes');
  },
);

test.each(['gzip', 'GZIP', 'x-gzip', 'br', 'deflate', 'zstd', 'aws-chunked, gzip', 'gzip,aws-chunked'])(
  'refuses a file with Content-Encoding "%s"',
  async (name) => {
    await expect(fetchWith(name)).rejects.toThrow(`Content-Encoding: "${name}"`);
  },
);
