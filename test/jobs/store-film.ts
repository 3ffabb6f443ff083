import { bumpPublication, type Db } from '../../src/catalog/db.ts';
import { insertChunks, type StoredChunk } from '../../src/catalog/lifecycle/chunk-store.ts';
import { packKey } from '../../src/catalog/tasks/encode-task.ts';
import { storeChunk } from '../../src/jobs/encode/store-chunk.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { buildChunk } from '../../src/media/cmaf/chunk.ts';
import type { Segment } from '../../src/media/cmaf/segment.ts';
import { readStoredSegments } from '../../src/media/cmaf/stored-fragments.ts';
import { packedKey } from '../../src/ports/packed-key.ts';
import type { Storage } from '../../src/ports/storage.ts';
import type { FilmTrack } from '../delivery/make-film.ts';
import type { RenditionKey } from '../delivery/publish.ts';

const forever = new AbortController().signal;

type Place = { db: Db; storage: Storage };
type Stored = [RenditionKey, FilmTrack];

/** Stores each segment as a separate object, with its row. */
export async function storeSingles({ db, storage }: Place, ...stored: Stored[]): Promise<void> {
  for (const [{ renditionId, ...key }, track] of stored) {
    const place = { storage, key, renditionId, attempt: 7 };
    for (const segment of segmentsOf(track))
      await addRow(db, { renditionId, ...key }, await storeChunk(place, [segment], new Set(), forever));
  }
}

/** Stores segments as a live stream leaves them: segments with the same number share an object. */
export async function storePacked({ db, storage }: Place, ...stored: Stored[]): Promise<void> {
  const [first] = stored;
  if (first === undefined) return;
  const tracks = stored.map(([rendition, track]) => ({ rendition, segments: segmentsOf(track) }));
  for (const { number } of segmentsOf(first[1])) {
    const pack = packKey(first[0], newGuid());
    const pieces: Buffer[] = [];
    const rows: [RenditionKey, StoredChunk][] = [];
    for (const { rendition, segments } of tracks) {
      const segment = segments[number];
      if (segment === undefined) throw new Error('Expected the same number of segments in each rendition.');
      const { pieces: media, idx, facts } = buildChunk([segment], number);
      const start = Buffer.concat(pieces).length;
      const storageKey = packedKey(pack, { start, sizeBytes: facts.sizeBytes, idxBytes: idx.length });
      rows.push([rendition, { facts, storageKey, idxBytes: idx.length }]);
      pieces.push(...media, idx);
    }
    await storage.put(pack, Buffer.concat(pieces), {}, forever);
    for (const row of rows) await addRow(db, ...row);
  }
}

function segmentsOf({ chunks, timescale }: FilmTrack): Segment[] {
  return chunks.flatMap(({ pieces, facts }) => readStoredSegments(Buffer.concat(pieces), facts, timescale));
}

async function addRow(db: Db, { renditionId, ...key }: RenditionKey, chunk: StoredChunk): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const revision = await bumpPublication(tx, key);
    await insertChunks(tx, { key, attempt: 7, revision }, { renditionId, chunks: [chunk] });
  });
}
