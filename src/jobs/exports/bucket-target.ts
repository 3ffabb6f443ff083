import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer, text as textOf } from 'node:stream/consumers';
import { Refused } from '../../lib/refused.ts';
import { sha256Of } from '../../lib/sha256-of.ts';
import type { ExportBucket } from './export-bucket.ts';
import type { ExportTarget, WantedFile } from './export-target.ts';
import { mediaExtension, SNIFFED_BYTES } from './media-extension.ts';
import { readRemote } from './read-remote.ts';
import { retryTransfer } from './transfer-fault.ts';

/** Maximum number of objects below the prefix of an export. Their names and marks are in memory. */
const MAX_OBJECTS = 2_000_000;

/**
 * Opens a bucket as destination of an export. Objects with unchanged content are not written again. Media are
 * streamed, with a few parts in memory. `signal` aborts transfers.
 */
export async function openBucketTarget(bucket: ExportBucket, signal: AbortSignal): Promise<ExportTarget> {
  const stored = new Map<string, { sizeBytes: number; etag: string }>();
  let listed = 0;
  for await (const { name, ...facts } of bucket.list()) {
    listed += 1;
    if (listed > MAX_OBJECTS) throw tooMany();
    if (!name.includes('/')) stored.set(name, facts);
  }
  const writeBytes = async (name: string, bytes: Uint8Array) => {
    // The ETag of an object that was written in one request is its MD5, unless the bucket encrypts with its own key.
    const etag = createHash('md5').update(bytes).digest('hex');
    const before = stored.get(name);
    if (before?.etag === etag && before.sizeBytes === bytes.length) return;
    await bucket.write(name, bytes, bytes.length);
    stored.set(name, { sizeBytes: bytes.length, etag });
  };
  const remove = async (name: string) => {
    if (stored.delete(name)) await bucket.remove(name);
  };
  const writeMedia = async ({ file, stem, sha256, maxBytes }: WantedFile) => {
    // Without a hash, the rest of the file may belong to another version.
    const { first, rest } = await peek(readRemote(file, sha256 !== null, signal));
    const name = `${stem}${mediaExtension(first)}`;
    const body = Readable.from(rest, { objectMode: false });
    // Also ends the download if the bucket fails.
    const written = await bucket.write(name, body, maxBytes).finally(() => body.destroy());
    const facts = await bucket.head(name);
    if (facts !== null) stored.set(name, facts);
    const hash = written.sha256.toString('hex');
    if (sha256 === null || hash === sha256) return { value: { name, sha256: hash } };
    await remove(name);
    return { reason: 'its SHA-256 differs from the one that the service recorded', isFinal: false };
  };
  return {
    names: () => stored.keys(),
    has: (name) => stored.has(name),
    readText: async (name) => (stored.has(name) ? textOf(await bucket.read(name)) : null),
    writeText: (name, text) => writeBytes(name, Buffer.from(text)),
    async writeFile(wanted) {
      const { file, stem, extension } = wanted;
      if (extension === null) return retryTransfer(file.name, () => writeMedia(wanted), signal);
      const name = `${stem}${extension}`;
      const read = async () => ({ value: await buffer(readRemote(file, false, signal)) });
      const bytes = await retryTransfer(file.name, read, signal);
      await writeBytes(name, bytes);
      return { name, sha256: createHash('sha256').update(bytes).digest('hex') };
    },
    async markOf(name) {
      const { sizeBytes, etag } = stored.get(name) ?? {};
      return `${sizeBytes} ${etag}`;
    },
    hashOf: async (name) => (await sha256Of(await bucket.read(name))).toString('hex'),
    remove,
    close: async () => bucket.close(),
  };
}

/** Reads the beginning of a file. Returns it, and all bytes. */
async function peek(body: AsyncGenerator<Uint8Array>): Promise<{ first: Buffer; rest: AsyncGenerator<Uint8Array> }> {
  let first = Buffer.alloc(0);
  while (first.length < SNIFFED_BYTES) {
    const next = await body.next();
    if (next.done === true) break;
    first = Buffer.concat([first, next.value]);
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    if (first.length > 0) yield first;
    yield* body;
  }
  return { first, rest: rest() };
}

function tooMany(): Refused {
  const message = `Expected at most ${MAX_OBJECTS} objects in this place of the bucket, got more.`;
  return new Refused('invalid', `${message} Export into a folder of the bucket.`);
}
