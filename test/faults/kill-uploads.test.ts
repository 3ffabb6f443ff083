import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { relativePathOf } from '../../src/adapters/storage/file-place.ts';
import { untilWell } from '../house/service.ts';
import { expectNothingLeft, objectsOf, openCatalogue } from '../support/leftovers.ts';
import { drawBytes, faultRounds, faultSeed, type Random, seededRandom } from '../support/seeded-random.ts';
import { discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';
import { beginPut } from '../support/slow-put.ts';
import { createVideo, FAILED, getVideo, uploadFile } from '../support/videos.ts';
import { at, create, sign, type TusLibrary } from '../uploads/tus-client.ts';

const UPLOADS_A_ROUND = 8;
const CREATED = 0;
const seed = faultSeed();

let service: Service;
beforeAll(async () => {
  service = await startService(null);
});
afterAll(() => discard(service));

/** The client's knowledge of an upload, recorded before and after each call. */
type Entry = { guid: string; sha256: string; sendBytes: number; isWholeSent: boolean; status: number | null };

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Starts uploads that stop at random bytes, kills the api during them, and returns what the client saw. */
async function killUnderUploads(random: Random): Promise<Entry[]> {
  const [apis, begun] = await Promise.all([
    findProcesses(service, 'role.ts api'),
    Promise.all(Array.from({ length: UPLOADS_A_ROUND }, (_, index) => beginRandomPut(random, index))),
  ]);
  // For complete uploads, the kill happens at a random time before, within or after their commit.
  await sleep(random.below(250));
  killAll(apis);
  const ledger: Entry[] = [];
  for (const { put, ...entry } of begun) ledger.push({ ...entry, ...(await put.answer) });
  await untilWell(
    Number(new URL(service.apiUrl).port),
    apis.map(({ pid }) => pid),
  );
  return ledger;
}

async function beginRandomPut(random: Random, index: number) {
  const bytes = drawBytes(random, random.between(1, 3_000_000));
  const sendBytes = index % 2 === 0 ? bytes.length : random.below(bytes.length);
  const guid = await createVideo(service, `upload ${index}`);
  const put = await beginPut(service, guid, bytes, { sendBytes, announcesLength: index % 3 !== 0 });
  return { guid, sha256: sha256(bytes), sendBytes, isWholeSent: put.isWholeSent, put };
}

/** Returns the hash of a video's stored original, or null if it has none. */
async function storedHash(guid: string): Promise<string | null> {
  const database = openCatalogue(service);
  try {
    const media = await database.db
      .selectFrom('media')
      .selectAll()
      .where('id', '=', guid as never)
      .executeTakeFirst();
    if (media?.source_key == null) return null;
    return sha256(await readFile(path.join(objectsOf(service), relativePathOf(media.source_key))));
  } finally {
    await database.close();
  }
}

/**
 * An acknowledged upload is stored completely. Any other is stored completely, or the video still waits for its upload.
 */
async function checkEntry(entry: Entry): Promise<void> {
  const stored = await storedHash(entry.guid);
  const isStored = stored !== null;
  expect({ ...entry, stored: isStored ? stored : entry.sha256 }).toEqual({ ...entry, stored: entry.sha256 });
  expect({ ...entry, isStored: isStored || entry.status !== 200 }).toEqual({ ...entry, isStored: true });
  expect({ ...entry, isStored: isStored && !entry.isWholeSent }).toEqual({ ...entry, isStored: false });
  if (isStored) return;
  expect(await getVideo(service, entry.guid)).toMatchObject({ status: CREATED, storageSize: 0 });
  const bytes = drawBytes(seededRandom(entry.sendBytes), 5_000);
  const file = path.join(tmpdir(), `mr-again-${entry.guid}`);
  await writeFile(file, bytes);
  const again = await uploadFile(service, entry.guid, file);
  await rm(file);
  expect(again.status).toBe(200);
  expect(await storedHash(entry.guid)).toBe(sha256(bytes));
}

test(
  `kill -9 of the api loses no acknowledged upload and keeps no other bytes (seed ${seed})`,
  async () => {
    const random = seededRandom(seed);
    const ledger: Entry[] = [];
    for (let round = 0; round < faultRounds(2); round += 1) ledger.push(...(await killUnderUploads(random)));
    expect(ledger.filter(({ status }) => status !== 200)).not.toEqual([]);
    for (const entry of ledger) await checkEntry(entry);
    // Random bytes are not a video, so each accepted upload soon fails.
    for (const { guid } of ledger) {
      await expect.poll(async () => (await getVideo(service, guid)).status, { timeout: 60_000 }).toBe(FAILED);
    }
    await expectNothingLeft(service);
  },
  faultRounds(2) * 150_000,
);

type Sent = { guid: string; bytes: Buffer; finish(): Promise<void> };

/** Repeats a request until the restarted api responds. */
async function persist<T>(ask: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer !== null) return answer;
    await sleep(50);
  }
}

const PIECE_TYPE = { 'Content-Type': 'application/offset+octet-stream' };
const locationOf = (answer: Response) => answer.headers.get('Location') ?? '';

/**
 * Uploads a file with a deferred length in small chunks. `finish` continues at the service's offset and sets the
 * length.
 */
async function beginDeferred(library: TusLibrary, bytes: Buffer): Promise<Sent> {
  const guid = await createVideo(service, 'deferred');
  const url = locationOf(await create(library, guid, { headers: { 'Upload-Defer-Length': '1' } }));
  const upload = at(url, sign(library, guid));
  let acknowledged = 0;
  const sending = (async () => {
    while (acknowledged < bytes.length / 2) {
      const answer = await upload.patch(acknowledged, bytes.subarray(acknowledged, acknowledged + 64_000));
      if (answer.status !== 204) return;
      acknowledged = Number(answer.headers.get('Upload-Offset'));
    }
  })().catch(() => undefined);
  return {
    guid,
    bytes,
    async finish() {
      await sending;
      await persist(async () => {
        const head = await upload.head();
        if (head.status !== 200) return null;
        const offset = Number(head.headers.get('Upload-Offset'));
        expect(offset).toBeGreaterThanOrEqual(acknowledged);
        const rest = bytes.subarray(offset);
        const answer = await upload.patch(offset, rest, { 'Upload-Length': String(bytes.length) });
        return answer.status === 204 ? true : null;
      });
    },
  };
}

/** Uploads parts and begins to concatenate them. `finish` repeats the concatenation until it is confirmed. */
async function beginParts(library: TusLibrary, bytes: Buffer): Promise<Sent> {
  const guid = await createVideo(service, 'parts');
  const third = Math.ceil(bytes.length / 3);
  const paths: string[] = [];
  for (const body of [bytes.subarray(0, third), bytes.subarray(third, 2 * third), bytes.subarray(2 * third)]) {
    const headers = { ...PIECE_TYPE, 'Upload-Length': String(body.length), 'Upload-Concat': 'partial' };
    paths.push(new URL(locationOf(await create(library, guid, { headers, body }))).pathname);
  }
  const join = async () => {
    const answer = await create(library, guid, { headers: { 'Upload-Concat': `final;${paths.join(' ')}` } });
    return answer.status === 201 ? true : null;
  };
  const first = join().catch(() => null);
  return {
    guid,
    bytes,
    async finish() {
      if ((await first) === null) await persist(join);
    },
  };
}

test(
  `kill -9 of the api loses no byte of chunked uploads or uploads of unknown length (seed ${seed})`,
  async () => {
    const random = seededRandom(seed);
    const library = { url: service.apiUrl, libraryId: 1, key: LIBRARY_KEY };
    for (let round = 0; round < faultRounds(2); round += 1) {
      const draw = () => drawBytes(random, random.between(300_000, 3_000_000));
      const apis = await findProcesses(service, 'role.ts api');
      const begun = await Promise.all([
        ...[1, 2].map(() => beginDeferred(library, draw())),
        ...[1, 2].map(() => beginParts(library, draw())),
      ]);
      await sleep(random.below(60));
      killAll(apis);
      await untilWell(
        Number(new URL(service.apiUrl).port),
        apis.map(({ pid }) => pid),
      );
      for (const { guid, bytes, finish } of begun) {
        await finish();
        expect(await storedHash(guid)).toBe(sha256(bytes));
        await expect.poll(async () => (await getVideo(service, guid)).status, { timeout: 60_000 }).toBe(FAILED);
      }
    }
    await expectNothingLeft(service);
  },
  faultRounds(2) * 150_000,
);
