import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import { createShieldEventStore, dayOf } from '../../src/catalog/shield/events/shield-event-store.ts';
import type { Answer } from '../support/api.ts';
import { misfitsOf } from './fuzz-requests.ts';
import { nameOf, type Real } from './interface-data.ts';
import { UNKNOWN_GUID, type Which } from './make-rows.ts';
import { sampleBody } from './sample-body.ts';
import { type Ask, startWorld, type World } from './world.ts';

type KeyName = keyof World['keys'] | 'none' | 'junk';

/** Keys without access to the first library, and keys without any access. */
const SHUT_OUT: readonly KeyName[] = ['foreign', 'none', 'junk', 'revoked', 'expired'];
const READING: readonly KeyName[] = ['readOnly', 'furtherRead'];
const WRITING: readonly KeyName[] = ['own', 'furtherWrite', 'account'];
const LIBRARY_KEYS: readonly KeyName[] = [...SHUT_OUT, ...READING, 'own', 'furtherWrite'];
const WHICH: readonly Which[] = ['own', 'foreign', 'unknown'];

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  expect(world.api.faults).toEqual([]);
  await world.stop();
});

for (const operation of operations) {
  test(`${nameOf(operation)} isolates libraries`, () => {
    switch (operation.auth) {
      case 'access-key':
        return holdLibraryOperation(operation);
      case 'account-key':
        return holdAccountOperation(operation);
      case 'none':
        return holdOpenOperation(operation);
    }
  });
}

const refusing = operations.filter((operation) => misfitsOf(operation).length > 0);
test.each(refusing.map((each) => [nameOf(each), each] as const))('%s refuses ambiguous requests', async (_, each) => {
  const asked = await Promise.all(WHICH.map((which) => requestOf(each, which)));
  const before = await world.state();
  const key = each.auth === 'account-key' ? 'account' : each.auth === 'none' ? 'none' : 'own';
  for (const misfit of misfitsOf(each)) {
    const requests = asked.map(({ path, ...rest }) => ({ ...rest, path: withPair(path, misfit) }));
    // Only callers with a key learn what is wrong with a request. The message does not depend on what the library
    // contains.
    for (const request of each.auth === 'none' ? [] : requests) expect((await askAs('junk', request)).status).toBe(401);
    const answers = await Promise.all(requests.map((request) => askAs(key, request)));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  }
  expect(await world.state()).toEqual(before);
});

function withPair(path: string, pair: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${pair}`;
}

async function holdLibraryOperation(operation: Real): Promise<void> {
  // A refused request changes nothing, so all of them can use the same objects.
  const asked = await Promise.all(WHICH.map((which) => requestOf(operation, which)));
  const denied = await Promise.all(SHUT_OUT.flatMap((key) => asked.map((request) => askAs(key, request))));
  expect(new Set(denied.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(denied[0]?.status).toBe(401);
  for (const key of READING) {
    const answers = await Promise.all(asked.map((request) => askAs(key, request)));
    if (operation.method === 'GET' && operation.keyScope !== 'write') expectForeignAsUnknown(answers);
    else expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  }
  for (const key of WRITING) {
    expectForeignAsUnknown(await Promise.all(WHICH.map((which) => ask(operation, { key, which }))));
  }
}

/** Callers without the account key learn nothing about existing objects. */
async function holdAccountOperation(operation: Real): Promise<void> {
  const asked = await Promise.all(WHICH.map((which) => requestOf(operation, which)));
  const denied = await Promise.all(LIBRARY_KEYS.flatMap((key) => asked.map((request) => askAs(key, request))));
  expect(new Set(denied.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(denied[0]?.status).toBe(401);
  const [own] = await Promise.all([ask(operation, { key: 'account', which: 'own' })]);
  expect([401, 403, 404]).not.toContain(own.status);
}

async function holdOpenOperation(operation: Real): Promise<void> {
  for (const key of ['none', 'junk', 'own', 'foreign'] as const) {
    expectForeignAsUnknown(await Promise.all(WHICH.map((which) => ask(operation, { key, which }))));
  }
}

/**
 * An existing object of the caller's library is not refused because of its URL. An object of another library gets the
 * same response as an unknown one.
 */
function expectForeignAsUnknown([own, foreign, unknown]: Answer[]): void {
  expect([401, 403, 404], own?.text).not.toContain(own?.status);
  expect(foreign?.status).toBe(unknown?.status);
  expect(withoutIds(foreign)).toBe(withoutIds(unknown));
}

// Operations that create objects return a new id with each call, so ids are replaced before the comparison.
function withoutIds(answer: Answer | undefined): string {
  return (
    (answer?.text ?? '')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, 'ID')
      .replaceAll(/bunnylive_[0-9a-f]{32}/g, 'KEY')
      .replaceAll(/"secret":"[\w-]{43}"/g, 'SECRET')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'TIME')
      .replaceAll(/\b(totalItems|TotalItems|durationMs)":\d+/g, '$1')
      // The content of a library's own event stream depends on current activity.
      .replaceAll(/^(event|data|id):.*\n+/gm, '')
  );
}

async function ask(operation: Real, { key, which }: { key: KeyName; which: Which }): Promise<Answer> {
  return askAs(key, await requestOf(operation, which));
}

/** Creates an object and returns a request for it. */
async function requestOf(operation: Real, which: Which): Promise<Omit<Ask, 'key'>> {
  const address = await world.address(operation, which);
  // The only operations that name the library in the query.
  const isByQuery = ['resetApiKeyByQuery', 'resetReadOnlyApiKeyByQuery'].includes(operation.name);
  const path = isByQuery ? `${address}?id=${await ownLibrary()}` : address;
  const body = sampleBody(operation, world);
  return { method: operation.method, path, ...(body !== null && { body }) };
}

function askAs(key: KeyName, request: Omit<Ask, 'key'>): Promise<Answer> {
  return world.ask({ ...request, key: key === 'none' ? null : key === 'junk' ? 'junk' : world.keys[key] });
}

async function ownLibrary(): Promise<number> {
  const wanted = { name: 'Made for a test', pullZoneName: null, libraryKey: null };
  return (await world.api.libraries.create(wanted)).library.id;
}

test('the firewall classifies no call of a test client as an attack, regardless of the key', async () => {
  await world.ask({ method: 'GET', path: '/.env', key: null });
  const store = createShieldEventStore(world.api.database.db);
  const read = async () => {
    const events = await store.read({ zoneId: 0, day: dayOf(Date.now()), afterSeq: 0 }, 1_000);
    return events.map(({ ruleId, log }) => `${ruleId} ${log}`);
  };
  // Events are stored in order, so an earlier one would already be present.
  await expect.poll(async () => (await read()).at(-1), { timeout: 10_000 }).toMatch(/^930130 /);
  expect(await read()).toHaveLength(1);
});

test('every operation treats a collection of another library as unknown', async () => {
  const foreign = await makeForeignCollection();
  const url = `${world.origin.url}/film.mp4`;
  const video = await world.makeVideo();
  const requests = (id: string) => [
    { method: 'GET', path: `/library/1/videos?collection=${id}` },
    { method: 'POST', path: '/library/1/videos', body: { title: 'T', collectionId: id } },
    { method: 'POST', path: `/library/1/videos/${video}`, body: { collectionId: id } },
    { method: 'POST', path: `/library/1/videos/fetch?collectionId=${id}`, body: { url } },
  ];
  const [asForeign, asUnknown] = await Promise.all(
    [foreign, UNKNOWN_GUID].map((id) => Promise.all(requests(id).map((request) => world.ask(request)))),
  );
  expect(asForeign?.map(({ status }) => status)).toEqual([200, 400, 404, 404]);
  expect(asForeign?.map(withoutIds)).toEqual(asUnknown?.map(withoutIds));
});

async function makeForeignCollection(): Promise<string> {
  const { id, key } = world.api.second;
  const path = `/library/${id}/collections`;
  const { body } = await world.ask({ method: 'POST', path, key, body: { name: 'Of another library' } });
  const { guid } = Object(body);
  await world.ask({ method: 'POST', path: `/library/${id}/videos`, key, body: { title: 'T', collectionId: guid } });
  return guid;
}

test('a key of a different library grants no access to this library', async () => {
  for (const operation of operations.filter(
    ({ auth, path }) => auth === 'access-key' && path.includes('{libraryId}'),
  )) {
    for (const library of [world.api.second.id, 999_999, 'abc', '%00']) {
      const path = (await world.address(operation, 'foreign')).replace('/library/1', `/library/${library}`);
      expect((await world.ask({ method: operation.method, path })).status, nameOf(operation)).toBe(401);
    }
  }
});
