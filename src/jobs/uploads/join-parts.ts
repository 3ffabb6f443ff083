import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Db } from '../../catalog/db.ts';
import { partsOf } from '../../catalog/uploads/tus-upload-store.ts';
import type { UploadRef } from '../../catalog/uploads/upload-store.ts';
import { Refused } from '../../lib/refused.ts';
import { watchStart } from '../../media/probe/foreign-bytes.ts';
import type { Staging } from '../../ports/storage.ts';
import { requireSpace, type SpaceDeps } from './require-space.ts';

export type JoinDeps = { db: Db; staging: Staging; space: SpaceDeps };

type Part = { id: string; lengthBytes: number; endBytes: number };

/**
 * Copies the staged parts of a final upload one after the other into its own staged bytes. Removes each part once its
 * copy is durable, so that the disk needs space for only one additional part. May be repeated after a crash at any
 * point: it continues where the copy ends. Returns the SHA-256 of the whole file, or null if this run did not read all
 * bytes. Throws `Refused` (`not-found`) if the bytes of a part are missing, and `ForeignBody` if the start of the file
 * shows that it is not a media file.
 */
export async function joinParts({ id }: UploadRef, deps: JoinDeps, signal: AbortSignal): Promise<Buffer | null> {
  const { db, staging, space } = deps;
  let size = await staging.size(id);
  const hash = size === 0 ? createHash('sha256') : null;
  const look = size === 0 ? watchStart() : () => null;
  const see = (bytes: Buffer) => {
    hash?.update(bytes);
    const foreign = look(bytes);
    if (foreign !== null) throw foreign;
  };
  for (const part of withEnds(await partsOf(db, id))) {
    if (size < part.endBytes) {
      await requireSpace(part.endBytes - size, space);
      const body = await staging.read(part.id, part.lengthBytes - (part.endBytes - size), signal);
      const seen = Readable.from(seeing(body, see), { objectMode: false });
      size = await staging.append(id, size, seen, signal);
    }
    if (size < part.endBytes)
      throw new Refused('not-found', `The bytes of the partial upload ${part.id} no longer exist.`);
    await staging.abort(part.id);
  }
  return hash?.digest() ?? null;
}

function withEnds(parts: readonly { id: string; lengthBytes: number }[]): Part[] {
  let endBytes = 0;
  return parts.map((part) => {
    endBytes += part.lengthBytes;
    return { ...part, endBytes };
  });
}

async function* seeing(body: Readable, see: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    // The staging area yields buffers.
    const bytes = chunk as Buffer;
    see(bytes);
    yield bytes;
  }
}
