import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { placeOf } from '../../src/adapters/storage/file-place.ts';
import { untilWell } from '../house/service.ts';
import { expectNothingLeft, objectsOf, openCatalogue } from '../support/leftovers.ts';
import { drawBytes, faultRounds, faultSeed, type Random, seededRandom } from '../support/seeded-random.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';
import { beginPut } from '../support/slow-put.ts';
import { createVideo, FAILED, getVideo, uploadFile } from '../support/videos.ts';

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

/** Returns the hash of a video's stored original; null if it has none. */
async function storedHash(guid: string): Promise<string | null> {
  const database = openCatalogue(service);
  try {
    const media = await database.db
      .selectFrom('media')
      .selectAll()
      .where('id', '=', guid as never)
      .executeTakeFirst();
    if (media?.source_key == null) return null;
    return sha256(await readFile(path.join(objectsOf(service), placeOf(media.source_key))));
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
  const again = await uploadFile(service, entry.guid, import.meta.filename);
  expect(again.status).toBe(200);
  expect(await storedHash(entry.guid)).toBe(sha256(await readFile(import.meta.filename)));
}

test(
  `kill -9 of the api during uploads loses no acknowledged upload and keeps no part of the others (seed ${seed})`,
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
