import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createQuotaStore } from '../../src/catalog/quotas/quota-store.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { type LiveCatalogue, openLiveCatalogue } from '../live/live-service.ts';
import { runFfmpeg } from '../support/media/run-test-clips.ts';
import { discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';

/** More than the job that merges chunks frees, which may run at any time: the indexes of the merged chunks. */
const MERGED_BYTES = 10_000;

let service: Service;
let catalogue: LiveCatalogue;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mr-compose-quota-'));
  service = await startService(null);
  catalogue = await openLiveCatalogue(service);
});
afterAll(async () => {
  await catalogue.database.close();
  await discard(service);
  await rm(folder, { recursive: true, force: true });
});

async function uploadSource(): Promise<string> {
  const file = path.join(folder, 'source.mp4');
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=480x360:r=10:d=12', '-f', 'lavfi', '-i', 'sine=d=12'];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-b:v', '400k', '-g', '20'];
  await runFfmpeg(...inputs, ...codecs, '-c:a', 'aac', '-shortest', file);
  const guid = await createVideo(service, 'Source');
  expect((await uploadFile(service, guid, file)).status).toBe(200);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  return guid;
}

async function compose(parts: readonly object[]) {
  const response = await fetch(`${service.apiUrl}/library/1/videos/compose`, {
    method: 'POST',
    headers: { AccessKey: LIBRARY_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ title: 'Composed', parts }),
  });
  return {
    status: response.status,
    error: response.headers.get('x-millrace-error'),
    body: Object(await response.json()),
  };
}

async function bytesOf(guid: Guid): Promise<{ estimated: number; stored: number }> {
  const { rows } = await sql<{ estimated: number; stored: number }>`
    select (recipe->>'estimatedBytes')::bigint as estimated, (select sum(storage_bytes) from rendition
      where media_id = c.media_id)::bigint as stored
    from composition c where media_id = ${guid}`.execute(catalogue.database.db);
  return rows[0] ?? { estimated: 0, stored: 0 };
}

test('compositions reserve their bytes, and simultaneous ones never exceed the limit together', async () => {
  const videoId = await uploadSource();
  const parts = [{ videoId, startMs: 0, endMs: 7_300 }, { videoId }];
  const made = await compose(parts);
  expect(made.status).toBe(200);
  await untilVideo(service, made.body.guid, ({ status }) => status === FINISHED);
  const { estimated, stored } = await bytesOf(made.body.guid);
  expect(estimated / stored).toBeGreaterThan(0.8);
  expect(estimated / stored).toBeLessThan(1.25);
  const quotas = createQuotaStore(catalogue.database.db);
  const { used } = (await quotas.load(1)).storageBytes;
  const limit = (bytes: number) => quotas.change(1, { storageBytes: { limit: bytes, mode: 'hard' } });
  await limit(used + estimated - MERGED_BYTES);
  const refused = await compose(parts);
  expect([refused.status, refused.error]).toEqual([403, 'quota-reached']);
  const [, moreMb] = /and ([\d.]+) MB more would exceed it/.exec(refused.body.message) ?? [];
  expect(Math.abs(Number(moreMb) * 1e6 - estimated)).toBeLessThan(MERGED_BYTES);
  await limit(used + 2 * estimated - MERGED_BYTES);
  const both = await Promise.all([compose(parts), compose(parts)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 403]);
  const accepted = both.find(({ status }) => status === 200);
  await untilVideo(service, accepted?.body.guid, ({ status }) => status === FINISHED);
});

test('a clip that ends more than a second after its video is refused', async () => {
  await createQuotaStore(catalogue.database.db).change(1, { storageBytes: { limit: 1e12, mode: 'hard' } });
  const videoId = await uploadSource();
  const { rows } = await sql<{ ms: number }>`
    select duration_ms as ms from media where id = ${videoId}`.execute(catalogue.database.db);
  const endMs = rows[0]?.ms ?? 0;
  const refused = await compose([{ videoId, endMs: endMs + 1_500 }]);
  expect(refused.status).toBe(400);
  expect(refused.body.message).toContain(`within video ${videoId} (${endMs} ms), got 0 and ${endMs + 1_500}`);
  // Clients round the length to seconds.
  expect((await compose([{ videoId, startMs: 2_000, endMs: endMs + 900 }])).status).toBe(200);
});
