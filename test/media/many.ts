import { createHash } from 'node:crypto';
import type { MediaKey } from '../../src/catalog/db.ts';
import type { UploadOptions } from '../../src/catalog/schema.ts';
import { loadMedia, makeClip, until, upload, type WorkerFixture } from '../jobs/worker-fixture.ts';

/** A source to create with ffmpeg: its file name, the arguments before it, and the options of its upload. */
export type Source = { name: string; argv: readonly string[]; options?: UploadOptions };

/** Time limit for a group of small videos on a busy machine. */
export const GROUP_LIMIT_SEC = 240;

/** Creates and uploads many sources concurrently, and waits until each is finished or failed. Returns keys by name. */
export async function uploadMany(
  fixture: WorkerFixture,
  libraryId: number,
  sources: readonly Source[],
  change: (file: string, name: string) => Promise<string> = async (file) => file,
): Promise<Map<string, MediaKey>> {
  const keys = new Map<string, MediaKey>();
  for (const { name, argv, options } of sources) {
    // Source names may contain characters that file names cannot.
    const stem = createHash('sha1').update(name).digest('hex').slice(0, 8);
    const file = await change(await makeClip(fixture, `${stem}.${name.split('.').at(-1)}`, ...argv), name);
    keys.set(name, await upload(fixture, libraryId, file, options));
  }
  for (const [name, key] of keys) {
    const isOver = async () => ['finished', 'failed'].includes((await loadMedia(fixture, key)).state);
    await until(isOver, `${name} to be over`, GROUP_LIMIT_SEC);
  }
  return keys;
}

/** Returns the key of a source. Throws if it was not uploaded. */
export function keyOf(keys: ReadonlyMap<string, MediaKey>, name: string): MediaKey {
  const key = keys.get(name);
  if (key === undefined) throw new Error(`Expected a source called ${name}.`);
  return key;
}

/** Checks that a video is finished. Fails with its reason otherwise. */
export async function requireFinished(fixture: WorkerFixture, key: MediaKey): Promise<void> {
  const { state, state_reason: reason, messages } = await loadMedia(fixture, key);
  if (state !== 'finished')
    throw new Error(`Expected it to be finished, it is ${state}, ${reason}: ${JSON.stringify(messages)}`);
}
