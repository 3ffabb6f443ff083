import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bumpPublication, PROGRESS_CHANNEL } from '../../src/catalog/db.ts';
import { type PublicationWatch, watchPublications } from '../../src/catalog/publications/publication-watch-store.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { addRows } from '../support/rendition-rows.ts';

type Event = { event: string; id: string; data: Record<string, unknown> };

let api: TestApi;
const watches: PublicationWatch[] = [];
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const WAIT_MS = 30_000;

/** An open event stream. `until` reads up to the first matching event. */
class Follower {
  readonly events: Event[] = [];
  readonly response: Response;
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #gone: AbortController;
  #text = '';
  isEnded = false;

  constructor(response: Response, gone: AbortController) {
    if (response.body === null) throw new Error('Expected a body.');
    this.response = response;
    this.#gone = gone;
    this.#reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  }

  async until(fits: (event: Event) => boolean): Promise<Event> {
    const limit = setTimeout(() => this.#gone.abort(new Error('Received no such event.')), WAIT_MS);
    try {
      for (;;) {
        const found = this.events.find(fits);
        if (found !== undefined) return found;
        if (this.isEnded) throw new Error(`The stream ended after ${JSON.stringify(this.events)}.`);
        await this.#more();
      }
    } finally {
      clearTimeout(limit);
    }
  }

  async untilEnd(): Promise<void> {
    while (!this.isEnded) await this.#more();
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#reader.read();
    if (done) {
      this.isEnded = true;
      return;
    }
    this.#text += value;
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)));
      if (fields.event !== undefined) this.events.push({ ...fields, data: JSON.parse(fields.data ?? '') } as Event);
    }
  }

  close(): void {
    this.#gone.abort();
  }
}

async function follow(path: string, key = api.first.libraryKey): Promise<Follower> {
  const gone = new AbortController();
  const response = await fetch(`${api.url}${path}`, { headers: { AccessKey: key }, signal: gone.signal });
  return new Follower(response, gone);
}
async function createVideo(): Promise<Guid> {
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'Followed' } });
  // The GUID comes from our own response.
  return String(Object(body).guid) as Guid;
}
const change = (guid: Guid, row: object) =>
  api.database.db.updateTable('media').set(row).where('id', '=', guid).execute();

test('a subscriber of a video receives its state and every change until it is deleted', async () => {
  const guid = await createVideo();
  const follower = await follow(`/library/1/videos/${guid}/progress`, api.first.readOnlyKey);
  expect(follower.response.status).toBe(200);
  expect(Object.fromEntries(follower.response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
  const first = await follower.until(() => true);
  expect(first).toEqual({
    event: 'progress',
    id: '0',
    data: {
      videoLibraryId: 1,
      guid,
      status: 0,
      encodeProgress: 0,
      availableResolutions: '',
      publication: 0,
      reason: null,
    },
  });
  await change(guid, { state: 'transcoding', state_reason: 'encoding' });
  await follower.until(({ data }) => data.status === 3 && data.reason === 'encoding');
  await change(guid, { encode_progress: 40 });
  await follower.until(({ data }) => data.encodeProgress === 40);
  await addRows(api.database.db, guid, [{ rung: 240 }, { rung: 720 }]);
  await api.database.db.transaction().execute((tx) => bumpPublication(tx, { libraryId: 1, mediaId: guid }));
  await follower.until(({ data }) => data.availableResolutions === '240p,720p' && data.publication === 1);
  await change(guid, { state: 'finished', state_reason: null });
  await follower.until(({ data }) => data.status === 4 && data.encodeProgress === 100);
  await api.call('DELETE', `/library/1/videos/${guid}`);
  await follower.until(({ event, data }) => event === 'deleted' && data.guid === guid);
  await follower.untilEnd();
  const texts = follower.events.map((event) => JSON.stringify(event));
  expect(new Set(texts).size).toBe(texts.length);
});

test('a subscriber of a library receives changes of its new and processing videos only', async () => {
  const [early, done] = [await createVideo(), await createVideo()];
  await change(early, { state: 'processing' });
  await change(done, { state: 'finished' });
  const follower = await follow('/library/1/progress');
  const foreign = await follow(`/library/${api.second.id}/progress`, api.second.key);
  await follower.until(({ data }) => data.guid === early && data.status === 2);
  const fresh = await createVideo();
  await follower.until(({ data }) => data.guid === fresh && data.status === 0);
  await api.call('DELETE', `/library/1/videos/${fresh}`);
  await follower.until(({ event, data }) => event === 'deleted' && data.guid === fresh);
  expect(follower.events.filter(({ data }) => data.guid === done && data.status !== 4)).toEqual([]);
  const { body } = await api.call('POST', `/library/${api.second.id}/videos`, {
    key: api.second.key,
    body: { title: 'x' },
  });
  await foreign.until(({ data }) => data.guid === Object(body).guid);
  expect(foreign.events.every(({ data }) => data.videoLibraryId === api.second.id)).toBe(true);
  expect(follower.events.every(({ data }) => data.videoLibraryId === 1)).toBe(true);
  follower.close();
  foreign.close();
});

test('a video that is encoded again has the status Processing from the first event', async () => {
  const guid = await createVideo();
  await change(guid, { state: 'uploaded', facts: '{}', source_key: 'k', source_bytes: 1 });
  const follower = await follow(`/library/1/videos/${guid}/progress`);
  expect((await follower.until(() => true)).data).toMatchObject({ status: 2 });
  expect((await api.call('GET', `/library/1/videos/${guid}`)).body).toMatchObject({ status: 2 });
  follower.close();
});

test('reports changes that were made while the listening connection was down, once it is back', async () => {
  const guid = await createVideo();
  const [follower, library] = [await follow(`/library/1/videos/${guid}/progress`), await follow('/library/1/progress')];
  await follower.until(() => true);
  await change(guid, { encode_progress: 1, state: 'transcoding' });
  await library.until(({ data }) => data.guid === guid && data.encodeProgress === 1);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where query like ${`listen "${PROGRESS_CHANNEL}"%`}
  `.execute(api.database.db);
  await change(guid, { state: 'finished', state_since: new Date() });
  await follower.until(({ data }) => data.status === 4);
  await library.until(({ data }) => data.guid === guid && data.status === 4);
  follower.close();
  library.close();
  await expect.poll(() => api.faults.splice(0)).not.toEqual([]);
});

test('all subscribers of a process share one listening connection', async () => {
  const count = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from pg_stat_activity where query like ${`listen "${PROGRESS_CHANNEL}"%`}`.execute(
      api.database.db,
    );
    return rows[0]?.n;
  };
  const followers = [await follow('/library/1/progress'), await follow('/library/1/progress')];
  await expect.poll(count, { timeout: WAIT_MS }).toBe(1);
  for (const follower of followers) follower.close();
});

test('rejects subscribers beyond the limits with 429 until another subscriber disconnects', async () => {
  const small = await startTestApi({ progressLimits: { clients: 3, clientsOfLibrary: 2 } });
  const followers: Follower[] = [];
  const ask = async (libraryId: number, key: string) => {
    const gone = new AbortController();
    const headers = { AccessKey: key };
    const response = await fetch(`${small.url}/library/${libraryId}/progress`, { headers, signal: gone.signal });
    followers.push(new Follower(response, gone));
    return [response.status, response.headers.get('retry-after')];
  };
  const [first, second] = [small.first.libraryKey, small.second];
  expect([await ask(1, first), await ask(1, first)]).toEqual([
    [200, null],
    [200, null],
  ]);
  expect(await ask(1, first)).toEqual([429, '5']);
  expect(await ask(second.id, second.key)).toEqual([200, null]);
  expect(await ask(second.id, second.key)).toEqual([429, '5']);
  followers[0]?.close();
  await expect.poll(() => ask(1, first), { timeout: WAIT_MS, interval: 20 }).toEqual([200, null]);
  for (const follower of followers) follower.close();
  await small.stop();
  expect(small.faults).toEqual([]);
});

test.each([
  ['no key', '/library/1/progress', '', 401],
  ['a key in the query', '/library/1/progress?accessKey=KEY', '', 401],
  ["another library's key", '/library/1/progress', 'SECOND', 401],
  ['an unknown video', `/library/1/videos/${newGuid()}/progress`, 'KEY', 404],
  ['no GUID', '/library/1/videos/x/progress', 'KEY', 404],
])('opens no event stream for %s', async (_, path, key, status) => {
  const keys: Record<string, string> = { KEY: api.first.libraryKey, SECOND: api.second.key };
  const answer = await api.call('GET', path.replace('KEY', api.first.libraryKey), { key: keys[key] ?? null });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json; charset=utf-8']);
});

test('stopping the service ends the event streams of all subscribers', async () => {
  const other = await startTestApi({
    watchProgress: (listener) => {
      const watch = watchPublications(other.database.pool, listener, PROGRESS_CHANNEL);
      watches.push(watch);
      return watch;
    },
  });
  const gone = new AbortController();
  const headers = { AccessKey: other.first.libraryKey };
  const response = await fetch(`${other.url}/library/1/progress`, { headers, signal: gone.signal });
  const follower = new Follower(response, gone);
  const ended = follower.untilEnd();
  await other.stop();
  await ended;
  expect([watches.length, follower.isEnded, other.faults]).toEqual([1, true, []]);
});

const DASHBOARD = () => ({ Origin: api.url, 'X-Millrace-Dashboard': '1' });

/** Uses a separate key. Lists the ways in which the key or its session can end, in this process or another one. */
test.each([
  [
    'a key is revoked',
    async (key: string, id: string) => {
      const { db } = api.database;
      await db
        .updateTable('access_key')
        .set({ revoked_at: new Date() })
        .where('id', '=', id as Guid)
        .execute();
      expect((await api.call('GET', '/library/1/videos', { key })).status).toBeLessThan(500);
    },
  ],
  [
    'a session ends',
    async (_key: string, _id: string, cookie: string) => {
      const headers = { ...DASHBOARD(), Cookie: cookie };
      expect((await api.call('DELETE', '/dashboard/session', { key: null, headers })).status).toBe(204);
    },
  ],
  [
    'the key of a session is deleted',
    async (_key: string, id: string) => {
      await api.database.db
        .deleteFrom('access_key')
        .where('id', '=', id as Guid)
        .execute();
    },
  ],
])('ends the event stream when %s, while other streams continue', async (name, end) => {
  const made = await api.call('POST', '/videolibrary/1/keys', {
    key: api.first.accountKey,
    body: { Scope: 'read', Label: name },
  });
  const { Id: id, Key: key }: { Id: string; Key: string } = Object(made.body);
  const signedIn = await api.call('POST', '/dashboard/session', { key: null, headers: DASHBOARD(), body: { key } });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const gone = new AbortController();
  const headers: Record<string, string> = name.includes('session') ? { Cookie: cookie } : { AccessKey: key };
  const follower = new Follower(await fetch(`${api.url}/library/1/progress`, { headers, signal: gone.signal }), gone);
  expect(follower.response.status).toBe(200);
  const other = await follow('/library/1/progress');
  await end(key, id, cookie);
  await follower.untilEnd();
  const guid = await createVideo();
  await other.until(({ data }) => data.guid === guid);
  other.close();
});
