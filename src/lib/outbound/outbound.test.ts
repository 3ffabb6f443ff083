import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { createOutbound, type Outbound, type OutboundOptions, type OutboundRequest } from './outbound.ts';

const never = new AbortController().signal;
const GET: OutboundRequest = { method: 'GET', maxBytes: 1000, timeoutMs: 10_000 };
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Starts an origin on its own loopback address and records the requests that reach it. */
async function serve(listener: RequestListener, host = '127.0.0.2') {
  const seen: string[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { port, seen, url: `http://${host}:${port}` };
}

function open(options: Partial<OutboundOptions> = {}): Outbound {
  const outbound = createOutbound({ allow: ['127.0.0.2/32'], ...options });
  closing.push(outbound.close);
  return outbound;
}

async function text(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const SPELLINGS = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '①②⑦.0.0.1',
  '127.0.0.1.',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '0',
  'localhost',
];

describe('request destinations', () => {
  test.each(SPELLINGS)('refuses loopback written as %s unless it is listed', async (host) => {
    const canary = await serve((_, response) => response.end('reached'), '0.0.0.0');
    const url = `http://${host}:${canary.port}/`;
    const refusal = await open({ allow: [] })
      .request(url, GET, never)
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      name: 'Refused',
      kind: 'invalid',
      message: expect.stringContaining('not allowed'),
    });
    expect(canary.seen).toEqual([]);
    const { body } = await open({ allow: ['127.0.0.0/8', '::1', '0.0.0.0'] }).request(url, GET, never);
    expect(await text(body)).toBe('reached');
  });

  test.each([
    '10.0.0.1',
    '192.168.0.1',
    '0xa.1',
    '169.254.169.254',
    '168.63.129.16',
    '[fe80::1]',
    '[fd00::1]',
    '[64:ff9b::a00:1]',
    '[::]',
  ])('refuses the private address %s', async (host) => {
    const request = open().request(`http://${host}/`, GET, never);
    await expect(request).rejects.toMatchObject({ name: 'Refused', message: expect.stringContaining('not allowed') });
  });

  test('refuses a public address at a port that is not a web port', async () => {
    await expect(open().request('http://8.8.8.8:22/', GET, never)).rejects.toThrow('Port 22 is not allowed');
  });
});

describe('addresses of a host name', () => {
  test('refuses a name with a public and a private address', async () => {
    const lookup = async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    const request = open({ lookup }).request('http://two.example/', GET, never);
    await expect(request).rejects.toThrow(
      'The host two.example is not allowed: its address is in the "loopback" range.',
    );
  });

  test('resolves a name with changing addresses once and connects to the checked address', async () => {
    const good = await serve((_, response) => response.end('good'));
    const answers = ['127.0.0.2', '127.0.0.1', '127.0.0.1'];
    const requested: string[] = [];
    const lookup = async (name: string) => [{ address: answers[requested.push(name) - 1] ?? '', family: 4 }];
    const url = `http://rebind.example:${good.port}/`;
    const { body } = await open({ lookup }).request(url, GET, never);
    expect(await text(body)).toBe('good');
    expect(requested).toEqual(['rebind.example']);
    // A client without an open connection resolves and checks the name again.
    await expect(open({ lookup }).request(url, GET, never)).rejects.toThrow('"loopback" range');
    expect(good.seen).toHaveLength(1);
  });

  test('reports the name of an unknown host', async () => {
    const lookup = async () => Promise.reject(new Error('ENOTFOUND'));
    await expect(open({ lookup }).request('http://nobody.example/', GET, never)).rejects.toThrow(
      'nobody.example could not',
    );
    const empty = open({ lookup: async () => [] }).request('http://empty.example/', GET, never);
    await expect(empty).rejects.toThrow('empty.example has no address');
  });
});

describe('redirects', () => {
  test('to loopback fail after the first hop', async () => {
    const canary = await serve((_, response) => response.end('reached'), '127.0.0.1');
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      const origin = await serve((_, response) =>
        response.writeHead(302, { location: `http://${host}:${canary.port}/` }).end(),
      );
      await expect(open().request(origin.url, GET, never)).rejects.toThrow('not allowed');
    }
    expect(canary.seen).toEqual([]);
  });

  test('are followed up to five times and refused at the sixth', async () => {
    const origin = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(302, { location: `/${left - 1}` }).end('moved');
    });
    const { body, url } = await open().request(`${origin.url}/5`, GET, never);
    expect(await text(body)).toBe('there');
    expect(url).toBe(`${origin.url}/0`);
    await expect(open().request(`${origin.url}/6`, GET, never)).rejects.toThrow('more than 5 times');
  });

  test('send a posted body again after a 307 and drop it after a 302', async () => {
    const origin = await serve(async (request, response) => {
      const status = { '/302': 302, '/307': 307 }[request.url ?? ''];
      if (status !== undefined) response.writeHead(status, { location: '/end' }).end();
      else response.end(`${request.method} ${await text(request)}`);
    });
    const post: OutboundRequest = { ...GET, method: 'POST', body: 'event', headers: { 'content-type': 'text/plain' } };
    expect(await text((await open().request(`${origin.url}/307`, post, never)).body)).toBe('POST event');
    expect(await text((await open().request(`${origin.url}/302`, post, never)).body)).toBe('GET ');
  });

  test('are returned without being followed if the caller requests it', async () => {
    const origin = await serve((_, response) => response.writeHead(307, { location: '/end' }).end('moved'));
    const { status, headers, body } = await open().request(origin.url, { ...GET, redirects: 'returned' }, never);
    expect([status, headers.location, await text(body)]).toEqual([307, '/end', 'moved']);
    expect(origin.seen).toEqual(['GET /']);
  });
});

describe('response limits', () => {
  test('refuses an announced length above the limit before the body', async () => {
    const origin = await serve((_, response) => response.writeHead(200, { 'content-length': 1001 }).flushHeaders());
    await expect(open().request(origin.url, GET, never)).rejects.toMatchObject({ name: 'Refused', kind: 'too-large' });
  });

  test('truncates a body without a length at the limit', async () => {
    const origin = await serve((_, response) => {
      const pour = () =>
        response.destroyed || (response.write('x'.repeat(400)) ? setImmediate(pour) : response.once('drain', pour));
      pour();
    });
    const { body } = await open().request(origin.url, GET, never);
    await expect(text(body)).rejects.toMatchObject({ name: 'Refused', kind: 'too-large' });
  });

  test.each([
    ['before its headers', () => undefined],
    ['within its body', (response: { write(text: string): unknown }) => response.write('some')],
  ])('refuses an origin that falls silent %s', async (_, answer) => {
    const origin = await serve((_request, response) => void answer(response));
    const requested = open().request(origin.url, { ...GET, idleTimeoutMs: 200 }, never);
    await expect(requested.then(({ body }) => text(body))).rejects.toMatchObject({
      name: 'Refused',
      message: expect.stringMatching(/nothing for 0.2 s|no response/),
    });
  });

  test('aborts an endless response at the time limit', async () => {
    const origin = await serve((_, response) => {
      const dripping = setInterval(() => response.write('.'), 20);
      response.once('close', () => clearInterval(dripping));
    });
    const requested = open().request(origin.url, { ...GET, timeoutMs: 400 }, never);
    await expect(requested.then(({ body }) => text(body))).rejects.toMatchObject({
      name: 'Refused',
      kind: 'timeout',
      message: expect.stringContaining('within 0.4 s'),
    });
  });

  test('an abort by the caller ends the request and the body', async () => {
    const origin = await serve((_, response) => void response.write('some'));
    const controller = new AbortController();
    const { body } = await open().request(origin.url, GET, controller.signal);
    controller.abort(new Error('enough'));
    await expect(text(body)).rejects.toThrow('enough');
    await expect(open().request(origin.url, GET, controller.signal)).rejects.toThrow('enough');
  });

  test('reports an origin that refuses or drops the connection', async () => {
    const gone = await serve(() => undefined);
    await closing.pop()?.();
    await expect(open().request(gone.url, GET, never)).rejects.toThrow(
      'The server could not be reached: the connection was refused.',
    );
    const dropping = await serve((request) => request.socket.destroy());
    await expect(open().request(dropping.url, GET, never)).rejects.toMatchObject({
      name: 'Refused',
      kind: 'unavailable',
    });
  });
});

test('passes on ranges, headers and every status and adds only a plain user agent', async () => {
  const origin = await serve((request, response) => {
    const { host, connection, ...headers } = request.headers;
    response.writeHead(404, { 'x-one': 'a', 'set-cookie': ['b', 'c'] }).end(JSON.stringify(headers));
  });
  const range = { start: 5, end: 9 };
  const answer = await open().request(origin.url, { ...GET, range, headers: { 'X-Key': 'k' } }, never);
  expect(answer).toMatchObject({ status: 404, headers: { 'x-one': 'a', 'set-cookie': 'b, c' } });
  const sent = {
    accept: '*/*',
    'accept-encoding': 'identity',
    range: 'bytes=5-9',
    'user-agent': 'millrace',
    'x-key': 'k',
  };
  expect(JSON.parse(await text(answer.body))).toEqual(sent);
});
