import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import { createMovingStorage, type StorePair } from '../../src/adapters/storage/moving-storage.ts';
import { createS3Storage } from '../../src/adapters/storage/s3-storage.ts';
import { type MoveStores, moveObject } from '../../src/jobs/housekeeping/move-object.ts';
import { startMover } from '../../src/jobs/housekeeping/mover.ts';
import { type Storage, type StorageKey, storageKey } from '../../src/ports/storage.ts';
import { startS3Stub } from '../ports/s3-stub.ts';
import { gather, MIB, names, never } from '../ports/samples.ts';
import { faultSeed, seededRandom } from '../support/seeded-random.ts';

const seed = faultSeed();
const owned: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of owned.reverse()) await close();
});

async function openFolder(): Promise<{ store: Storage; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-move-'));
  owned.push(() => rm(folder, { recursive: true, force: true }));
  return { store: await createFileStorage(folder), folder };
}

async function openStub(): Promise<Storage> {
  const stub = await startS3Stub();
  owned.push(stub.stop);
  return createS3Storage({ url: stub.url, credentials: { accessKeyId: 'stub', secretAccessKey: 'stub' } });
}

const KEY = storageKey('1/film/rendition/0-1.cmaf');
/** Pause between two reads of all objects, which would otherwise use a full core during the move, in ms. */
const READ_PAUSE_MS = 100;
const OLD = Buffer.from('what the old store holds');

async function openPair(way: string): Promise<StorePair> {
  const [folder, stub] = await Promise.all([openFolder(), openStub()]);
  const pair = way === 'to S3' ? { from: folder.store, to: stub } : { from: stub, to: folder.store };
  await pair.from.put(KEY, OLD, {}, never);
  return pair;
}

class BrokenOff extends Error {}

/** Wraps the stores for a mover so that `at` is called before and after each of its steps. */
function withSteps({ from, to }: StorePair, at: () => Promise<void>): MoveStores {
  const stepping = (store: Storage): Storage => ({
    ...store,
    head: (key) => step(() => store.head(key)),
    read: (...read) => step(() => store.read(...read)),
    put: (...put) => step(() => store.put(...put)),
    delete: (keys) => step(() => store.delete(keys)),
  });
  async function step<T>(action: () => Promise<T>): Promise<T> {
    await at();
    const answer = await action();
    await at();
    return answer;
  }
  return { from: stepping(from), to: stepping(to), mayDelete: at };
}

async function holders({ from, to }: StorePair): Promise<string[]> {
  const [old, now] = await Promise.all([from.head(KEY), to.head(KEY)]);
  return [...(old === null ? [] : ['old']), ...(now === null ? [] : ['new'])];
}

/** Expects every read operation to return the bytes. */
async function expectReadable(pair: StorePair, bytes: Buffer): Promise<void> {
  const shown = createMovingStorage(pair);
  expect(await gather((await shown.read(KEY, null, never)).body)).toEqual(bytes);
  expect(await shown.readBytes(KEY, { start: 5, end: 8 }, never)).toEqual(bytes.subarray(5, 9));
  expect((await shown.head(KEY))?.sizeBytes).toBe(bytes.length);
  expect(await names(shown.list('1/film/', never))).toEqual([KEY]);
}

/**
 * Moves the object once per step, running `action` at that step, each time with new stores, until there are no more
 * steps.
 */
async function atEachStep(
  way: string,
  action: (pair: StorePair) => Promise<void>,
  check: (pair: StorePair) => Promise<void>,
) {
  for (let chosen = 0; ; chosen += 1) {
    const pair = await openPair(way);
    let passed = 0;
    const stores = withSteps(pair, async () => {
      if (passed++ === chosen) await action(pair);
    });
    await moveObject(KEY, stores, never).catch((error: unknown) => {
      if (!(error instanceof BrokenOff)) throw error;
    });
    await moveObject(KEY, { ...pair, mayDelete: async () => undefined }, never);
    if (passed <= chosen) return expect(chosen).toBeGreaterThan(8);
    await check(pair);
  }
}

test.each(['to S3', 'back to a folder'])(
  '%s, a move interrupted at any step loses nothing, and completes when repeated',
  (way) =>
    atEachStep(
      way,
      async (pair) => {
        await expectReadable(pair, OLD);
        throw new BrokenOff();
      },
      async (pair) => {
        expect(await holders(pair)).toEqual(['new']);
        await expectReadable(pair, OLD);
      },
    ),
);

test.each(['to S3', 'back to a folder'])('%s, an object deleted during the move is in neither store', (way) =>
  atEachStep(
    way,
    (pair) => createMovingStorage(pair).delete([KEY]),
    async (pair) => expect(await holders(pair)).toEqual([]),
  ),
);

test.each(['to S3', 'back to a folder'])('%s, an object rewritten during the move keeps its new content', (way) =>
  atEachStep(
    way,
    async (pair) => void (await createMovingStorage(pair).put(KEY, Buffer.from('written later'), {}, never)),
    async (pair) => {
      expect(await holders(pair)).toEqual(['new']);
      await expectReadable(pair, Buffer.from('written later'));
    },
  ),
);

test('finds an object that moves between the lookups in the two stores', async () => {
  const pair = await openPair('to S3');
  const move = () => moveObject(KEY, { ...pair, mayDelete: async () => undefined }, never);
  for (const ask of ['read', 'readBytes', 'head'] as const) {
    await pair.from.put(KEY, OLD, {}, never);
    await pair.to.delete([KEY]);
    const afterMove =
      <A extends unknown[], T>(look: (...args: A) => Promise<T>) =>
      async (...args: A) => {
        await move();
        return await look(...args);
      };
    const { read, readBytes, head } = pair.from;
    const slow = { ...pair.from, read: afterMove(read), readBytes: afterMove(readBytes), head: afterMove(head) };
    await expect(createMovingStorage({ from: slow, to: pair.to })[ask](KEY, null, never)).resolves.not.toBeNull();
  }
});

test('a read whose object is moved, and whose connection then breaks, continues in the new store', async () => {
  const pair = await openPair('to S3');
  const bytes = randomBytes(3 * MIB);
  await pair.from.put(KEY, bytes, {}, never);
  const breaking: Storage = {
    ...pair.from,
    async read(...read) {
      const { info } = await pair.from.read(...read);
      async function* half() {
        yield bytes.subarray(1000, 2 * MIB);
        await moveObject(KEY, { ...pair, mayDelete: async () => undefined }, never);
        throw new Error('the connection broke');
      }
      return { info, body: Readable.from(half()) };
    },
  };
  const shown = createMovingStorage({ from: breaking, to: pair.to });
  const { body } = await shown.read(KEY, { start: 1000, end: bytes.length - 2 }, never);
  expect((await gather(body)).equals(bytes.subarray(1000, -1))).toBe(true);
});

test('a failed write of a copy closes the stream of its source', async () => {
  const [{ store: from }, { store: to }] = [await openFolder(), await openFolder()];
  await from.put(KEY, OLD, {}, never);
  // The move would have to create a folder at this path.
  await to.put(storageKey('1/film'), OLD, {}, never);
  const bodies: Readable[] = [];
  const read: Storage['read'] = async (...asked) => {
    const opened = await from.read(...asked);
    bodies.push(opened.body);
    return opened;
  };
  const stores = { from: { ...from, read }, to, mayDelete: async () => undefined };
  await expect(moveObject(KEY, stores, never)).rejects.toThrow();
  expect(bodies.map((body) => body.destroyed)).toEqual([true]);
});

test('an upload that was started in the old store is completed there, and its object is moved later', async () => {
  const pair = await openPair('to S3');
  await pair.from.staging.append('begun', 0, Readable.from([Buffer.from('first ')]), never);
  const { staging } = createMovingStorage(pair);
  expect(await staging.append('begun', 6, Readable.from([Buffer.from('second')]), never)).toBe(12);
  expect(await staging.append('fresh', 0, Readable.from([Buffer.from('new')]), never)).toBe(3);
  expect([await pair.from.staging.size('begun'), await pair.to.staging.size('fresh')]).toEqual([12, 3]);
  expect(await staging.commit('begun', KEY, never)).toEqual({ sizeBytes: 12 });
  await moveObject(KEY, { ...pair, mayDelete: async () => undefined }, never);
  expect(await staging.commit('begun', KEY, never)).toEqual({ sizeBytes: 12 });
  await expectReadable(pair, Buffer.from('first second'));
});

test('rejects two settings for the same location before anything is deleted', async () => {
  const { store, folder } = await openFolder();
  await store.put(KEY, OLD, {}, never);
  const reported = new Promise<Error>((report) => {
    const same = { from: store, takeLock: freeLock, report };
    void createFileStorage(folder).then((to) => owned.push(startMover({ ...same, to }).close));
  });
  expect((await reported).message).toContain('the same store');
  expect(await store.head(KEY)).not.toBeNull();
});

test('moves the objects even if the remaining work cannot be recorded, and reports the error', async () => {
  const pair = await openPair('to S3');
  const reported: Error[] = [];
  const note = async () => {
    throw new Error('the database is down');
  };
  const says = { report: (error: Error) => void reported.push(error) };
  owned.push(startMover({ ...pair, takeLock: freeLock, note, ...says }).close);
  await expect.poll(() => holders(pair), { timeout: 60_000 }).toEqual(['new']);
  expect(reported[0]).toMatchObject({ cause: { message: 'the database is down' } });
});

const freeLock = async () => ({ check: async () => undefined, release: async () => undefined });

function startChild(from: string, to: string): ChildProcess {
  const script = join(import.meta.dirname, 'move-child.ts');
  // The kernel kills the child when this process ends, in case the test does not.
  return spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, script, from, to], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Reads all objects repeatedly until `isOver`. All of them must exist each time. */
async function readAllAlong(shown: Storage, objects: Map<StorageKey, Buffer>, isOver: () => boolean): Promise<number> {
  for (let rounds = 1; ; rounds += 1) {
    for (const [key, bytes] of objects) {
      const { body } = await shown.read(key, null, never);
      if (!(await gather(body)).equals(bytes)) throw new Error(`Expected the bytes of ${key}, got others.`);
    }
    if (isOver()) return rounds;
    await sleep(READ_PAUSE_MS);
  }
}

test(`a repeatedly killed mover completes the move, and a reader misses no object (seed ${seed})`, async () => {
  const [{ store: from, folder: fromFolder }, { store: to, folder: toFolder }] = [
    await openFolder(),
    await openFolder(),
  ];
  const random = seededRandom(seed);
  const objects = new Map<StorageKey, Buffer>();
  for (let index = 0; index < 40; index += 1) {
    const bytes = randomBytes(index === 20 ? 8 * MIB : 1 + random.below(200_000));
    objects.set(storageKey(`1/film-${index % 7}/rendition/${index}-1.cmaf`), bytes);
  }
  for (const [key, bytes] of objects) await from.put(key, bytes, {}, never);
  let isOver = false;
  const reader = readAllAlong(createMovingStorage({ from, to }), objects, () => isOver);
  try {
    for (let kills = 0; (await names(from.list('', never))).length > 0; kills += 1) {
      const child = startChild(fromFolder, toFolder);
      const ended = once(child, 'exit');
      if (child.stdout !== null) await Promise.race([once(child.stdout, 'data'), ended]);
      // The limit doubles with each kill, so that later children live long enough to move any object.
      await Promise.race([sleep(random.below(20) * 2 ** kills), ended]);
      child.kill('SIGKILL');
      await ended;
    }
  } finally {
    isOver = true;
  }
  expect(await reader).toBeGreaterThan(0);
  expect(new Set(await names(to.list('', never)))).toEqual(new Set(objects.keys()));
}, 300_000);
