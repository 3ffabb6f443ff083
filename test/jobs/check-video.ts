import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { filesOf } from '../../src/catalog/renditions/added-track.ts';
import { idxKeyOf } from '../../src/catalog/tasks/encode-task.ts';
import { verifyChunk } from '../support/media/verify-chunk.ts';
import { listObjects, loadChunks, loadMedia, loadRenditions, type WorkerFixture } from './worker-fixture.ts';

const run = promisify(execFile);
const forever = new AbortController().signal;

/** A rendition assembled from its stored objects and decoded. */
export type Decoded = {
  kind: string;
  origin: string;
  rung: number | null;
  frames: number;
  durationSec: number;
  segments: number;
  warnings: string;
};

/** Checks everything that a finished video promises (`checkWhole`), and returns its decoded renditions. */
export async function checkFinished(fixture: WorkerFixture, key: MediaKey): Promise<Decoded[]> {
  const renditions = await checkWhole(fixture, key);
  return Promise.all(renditions.map(decode));
}

type RenditionRow = Awaited<ReturnType<typeof loadRenditions>>[number];

/** An active rendition as a file: its init segment and all chunks. */
type Whole = { row: RenditionRow; file: string; segments: number; ticks: number };

/**
 * Checks that every active rendition of a finished video is complete, each object matches its row and its idx, no other
 * object exists, and the byte counts are correct.
 */
export async function checkWhole(fixture: WorkerFixture, key: MediaKey): Promise<Whole[]> {
  const media = await loadMedia(fixture, key);
  expect({ state: media.state, progress: media.encode_progress, reason: media.state_reason }).toEqual({
    state: 'finished',
    progress: 100,
    reason: null,
  });
  const whole: Whole[] = [];
  for (const rendition of await loadRenditions(fixture, key)) {
    if (!rendition.active) continue;
    expect(rendition.state).toBe('finished');
    whole.push(await join(fixture, key, rendition));
  }
  await checkObjects(fixture, key);
  return whole;
}

async function join(fixture: WorkerFixture, key: MediaKey, rendition: RenditionRow): Promise<Whole> {
  const chunks = (await loadChunks(fixture, key)).filter((chunk) => chunk.rendition_id === rendition.id);
  const parts: Buffer[] = [rendition.init ?? Buffer.alloc(0)];
  let segments = 0;
  let ticks = 0;
  for (const chunk of chunks) {
    expect([chunk.first_segment, chunk.start_tick]).toEqual([segments, ticks]);
    segments += chunk.segment_count;
    ticks += chunk.duration_ticks;
    const bytes = await fixture.storage.readBytes(chunk.storage_key, null, forever);
    const index = verifyChunk(bytes, await fixture.storage.readBytes(idxKeyOf(chunk.storage_key), null, forever));
    expect(index.sha256.equals(chunk.sha256)).toBe(true);
    parts.push(bytes);
  }
  const file = path.join(fixture.clips, `${rendition.id}.mp4`);
  await writeFile(file, Buffer.concat(parts));
  return { row: rendition, file, segments, ticks };
}

async function decode({ row, file, segments, ticks }: Whole): Promise<Decoded> {
  const { stdout, stderr } = await run('ffprobe', [
    ...['-v', 'warning', '-count_frames', '-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0', file],
  ]);
  return {
    kind: row.kind,
    origin: row.origin,
    rung: row.rung,
    frames: Number.parseInt(stdout, 10),
    durationSec: ticks / row.timescale,
    segments,
    warnings: stderr,
  };
}

/** Checks that the store contains exactly the objects of the rows, to the byte. */
export async function checkObjects(fixture: WorkerFixture, key: MediaKey): Promise<void> {
  const media = await loadMedia(fixture, key);
  const objects = await listObjects(fixture, key);
  const chunks = await loadChunks(fixture, key);
  const named = new Set<string>(chunks.flatMap((chunk) => [chunk.storage_key, idxKeyOf(chunk.storage_key)]));
  const retired = await fixture.database.db
    .selectFrom('retired_object')
    .select('storage_key')
    .where('media_id', '=', key.mediaId)
    .execute();
  for (const { storage_key: one } of retired) named.add(one);
  const images = await fixture.database.db
    .selectFrom('image')
    .select('storage_key')
    .where('media_id', '=', key.mediaId)
    .execute();
  for (const { storage_key: one } of images) named.add(one);
  for (const one of [media.source_key, media.thumbnail_key]) if (one !== null) named.add(one);
  for (const { key: one } of [...media.captions, ...filesOf(media.audio_tracks)]) named.add(one);
  expect(new Set(objects.keys())).toEqual(named);
  expect(media.storage_bytes).toBe([...objects.values()].reduce((sum, size) => sum + size, 0));
}
