import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { placeOf } from '../../src/adapters/storage/file-place.ts';
import type { MediaKey } from '../../src/catalog/db.ts';
import { type Lab, loadChunks, loadRenditions } from './lab.ts';

/** The chunks of the rendition that is shown. */
export async function chunksOf(lab: Lab, key: MediaKey, kind: string, rung: number | null) {
  const rendition = (await loadRenditions(lab, key)).find(
    (one) => one.kind === kind && one.rung === rung && one.active,
  );
  return (await loadChunks(lab, key)).filter(({ rendition_id: id }) => id === rendition?.id);
}

/** Deletes the first object of some pictures. */
export async function loseChunk(lab: Lab, key: MediaKey, rung: number) {
  const [lost] = await chunksOf(lab, key, 'video', rung);
  if (lost === undefined) throw new Error('Expected a chunk.');
  const file = path.join(lab.objects, placeOf(lost.storage_key));
  const bytes = await readFile(file);
  await rm(file);
  return { storageKey: lost.storage_key, putBack: () => writeFile(file, bytes) };
}
