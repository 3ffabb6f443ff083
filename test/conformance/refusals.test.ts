import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/catalog/db.ts';
import { createShieldEventStore, dayOf } from '../../src/catalog/shield/events/shield-event-store.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { expectErrorBody, expectGoodManners, isRefusal, messageOf } from './check-answer.ts';
import { type Ask, startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/**
 * One request for each kind of refusal: its status, the code in its body (account operations have none), and a pattern
 * that its message must match.
 */
const CASES: { kind: string; status: number; code: number | null; says: RegExp; word(): Promise<Ask> }[] = [
  {
    kind: 'invalid',
    status: 400,
    code: 400,
    says: /title/,
    word: async () => ({ method: 'POST', path: '/library/1/videos', body: {} }),
  },
  {
    kind: 'invalid, of no JSON',
    status: 400,
    code: 400,
    says: /Expected a JSON body/,
    word: async () => ({ method: 'POST', path: '/library/1/videos', body: '{"title":' }),
  },
  {
    kind: 'invalid where no 400 is listed',
    status: 400,
    code: 400,
    says: /name/,
    word: async () => ({ method: 'POST', path: '/library/1/collections', body: { name: 5 } }),
  },
  {
    kind: 'unauthenticated',
    status: 401,
    code: 401,
    says: /denied/,
    word: async () => ({ method: 'GET', path: '/library/1/videos', key: 'wrong' }),
  },
  {
    kind: 'forbidden',
    status: 403,
    code: 403,
    says: /can only read/,
    word: async () => ({ method: 'POST', path: '/library/1/videos', key: world.keys.readOnly }),
  },
  {
    kind: 'not-found',
    status: 404,
    code: 404,
    says: /video "x"/,
    word: async () => ({ method: 'GET', path: '/library/1/videos/x' }),
  },
  {
    kind: 'not-found, of a URL without an operation',
    status: 404,
    code: 404,
    says: /PATCH \/library/,
    word: async () => ({ method: 'PATCH', path: '/library/1/videos' }),
  },
  {
    kind: 'too-large',
    status: 413,
    code: 413,
    says: /1048576 bytes/,
    word: async () => ({ method: 'POST', path: '/library/1/videos', body: { title: 'x'.repeat(2 ** 20) } }),
  },
  {
    kind: 'too-large, of a URL',
    status: 413,
    code: 413,
    says: /16 KiB/,
    word: async () => ({ method: 'GET', path: `/library/1/videos?search=${'x'.repeat(20_000)}` }),
  },
  {
    kind: 'unprocessable where no 422 is listed',
    status: 400,
    code: 400,
    says: /image/,
    word: async () => {
      const path = `/library/1/videos/${await world.makeVideo()}/thumbnail?thumbnailUrl=http%3A%2F%2F127.0.0.1%3A1%2Fx`;
      return { method: 'POST', path };
    },
  },
  {
    kind: 'busy',
    status: 429,
    code: 429,
    says: /100 waiting or running fetches/,
    word: async () => {
      await openManyFetches();
      return { method: 'POST', path: '/library/1/videos/fetch', body: { url: `${world.origin.url}/film.mp4` } };
    },
  },
  {
    kind: 'busy, of generated texts',
    status: 429,
    code: 429,
    says: /100 videos/,
    word: async () => {
      const guid = await world.makeUploaded();
      const { db } = world.api.database;
      await sql`insert into media (library_id, id, type, title, state, smart)
        select 1, gen_random_uuid(), 'video', '', 'finished', '{"title": {"state": "queued"}}'
          from generate_series(1, 100)
      `.execute(db);
      return { method: 'POST', path: `/library/1/videos/${guid}/smart`, body: { generateTitle: true } };
    },
  },
  {
    kind: 'disk-full',
    status: 507,
    code: 507,
    says: /bytes to remain free/,
    word: async () => {
      const path = `/library/1/videos/${await world.makeVideo()}`;
      world.api.storage.freeBytes = 1;
      return { method: 'PUT', path, body: 'bytes of a video' };
    },
  },
];

test.each(CASES)('a $kind refusal has its status, format and message', async ({ status, code, says, word }) => {
  const answer = await world.ask(await word());
  world.api.storage.freeBytes = 100e9;
  expect(answer.status).toBe(status);
  expect(isRefusal(answer)).toBe(true);
  expect(messageOf(answer)).toMatch(says);
  const { statusCode, StatusCode }: Record<string, unknown> = { ...Object(answer.body) };
  expect(statusCode ?? StatusCode ?? null).toBe(code);
});

async function openManyFetches(): Promise<void> {
  const { db } = world.api.database;
  const mediaId = (await world.makeVideo()) as ReturnType<typeof newGuid>;
  const expires_at = new Date(Date.now() + 3_600_000);
  const rows = Array.from({ length: 100 }, () => ({
    id: newGuid(),
    library_id: 1,
    media_id: mediaId,
    method: 'fetch' as const,
    expires_at,
  }));
  await db.insertInto('upload').values(rows).execute();
}

test('while the database is down, every operation reports it with a retry time', async () => {
  const away = openDatabase({ host: '/nowhere', max: 2 }, () => undefined);
  const cut = await startWorld({ db: away.db });
  try {
    for (const path of [
      '/library/1/videos',
      `/pullzone/1`,
      '/OEmbed?url=http://edge.test/embed/1/0190163d-8694-739b-aea5-966c26f8ad91',
    ]) {
      const answer = await cut.ask({ method: 'GET', path });
      expect([path, answer.status]).toEqual([path, 503]);
    }
  } finally {
    await cut.stop();
    await away.close();
  }
});

const UNREADABLE = [
  { what: 'bytes that are not HTTP', bytes: 'nonsense\r\n\r\n', status: 400, form: 'status', rule: '10180' },
  {
    what: 'a malformed header',
    bytes: 'GET / HTTP/1.1\r\nHost: x\r\nno header\r\n\r\n',
    status: 400,
    form: 'status',
    rule: '10180',
  },
  {
    what: 'a length that is not a number',
    bytes: 'PUT /library/1/videos/x HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
    status: 400,
    form: 'status',
    rule: '10183',
  },
  {
    what: 'endless headers',
    bytes: `GET / HTTP/1.1\r\nHost: x\r\n${'x: y\r\n'.repeat(5_000)}`,
    status: 413,
    form: 'status',
    rule: '10181',
  },
  {
    what: 'an endless query',
    bytes: `GET /pullzone?search=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    status: 413,
    form: 'core',
    rule: '10181',
  },
] as const;

test.each(UNREADABLE)('rejects $what in the error format of the API and closes the connection', async (unreadable) => {
  const { bytes, status, form } = unreadable;
  const socket = connect(world.api.api.port, '127.0.0.1');
  socket.write(bytes);
  const [head = '', body = ''] = (await readText(socket)).split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  expect(first).toContain(`HTTP/1.1 ${status} `);
  const headers = new Headers(lines.map((line) => line.split(': ') as [string, string]));
  expect(headers.get('connection')).toBe('close');
  const answer = { status, headers, text: body, body: JSON.parse(body) };
  expectErrorBody({ errorShape: form }, answer);
  expectGoodManners(answer);
});

test('logs each unreadable request once, as an event of requests without a zone', async () => {
  const events = createShieldEventStore(world.api.database.db);
  const rulesFound = async () => {
    const found = await events.read({ zoneId: 0, day: dayOf(Date.now()), afterSeq: 0 }, 100);
    const rules = found.map(({ ruleId }) => ruleId).filter((ruleId) => ruleId.startsWith('1018'));
    // Cases of other tests precede these.
    return rules.slice(-UNREADABLE.length);
  };
  await expect.poll(rulesFound, { timeout: 20_000 }).toEqual(UNREADABLE.map(({ rule }) => rule));
});

test.each(['/library/1/videos', '/videolibrary', '/tusupload', '/healthz', '/dashboard'])(
  'rejects two Host headers at %s and closes the connection',
  async (address) => {
    const socket = connect(Number(new URL(world.api.url).port), '127.0.0.1');
    const key = `AccessKey: ${world.keys.account}`;
    socket.end(`GET ${address} HTTP/1.1\r\nHost: one.example\r\nhost: two.example\r\n${key}\r\n\r\n`);
    const answer = await readText(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('Expected one Host header, got several.');
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  },
);
