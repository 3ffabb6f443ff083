import { createWriteStream } from 'node:fs';
import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hasCode } from '../../lib/has-code.ts';
import { type DownloadSink, download } from '../../lib/outbound/download.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import type { Version } from '../../lib/outbound/resume.ts';

const LIMITS = {
  maxBytes: 16 * 2 ** 30,
  timeoutMs: 24 * 3_600_000,
  idleTimeoutMs: 30_000,
  minBytesPerSec: 1_024,
  maxFailures: 5,
  backoffMs: 1_000,
};

export type ArchiveRequest = {
  outbound: Outbound;
  url: string;
  /** Destination file. `{path}.json` records the version of the downloaded bytes. */
  path: string;
  onProgress: (doneBytes: number, totalBytes: number | null) => void;
};

/** Downloads an archive, and resumes an earlier attempt at the same version. Throws `Refused` as `download` does. */
export async function fetchArchive(
  { outbound, url, path, onProgress }: ArchiveRequest,
  signal: AbortSignal,
): Promise<void> {
  const notes = `${path}.json`;
  const earlier = await readNotes(notes);
  const version = earlier?.url === url ? earlier.version : null;
  let totalBytes = version?.totalBytes ?? null;
  const remember = async (next: Version) => {
    totalBytes = next.totalBytes;
    await writeFile(notes, JSON.stringify({ url, version: next }));
  };
  const sink = fileSink(path, (doneBytes) => onProgress(doneBytes, totalBytes));
  await download({ outbound, url, headers: {}, sink, limits: LIMITS, memory: { version, remember } }, signal);
  await rm(notes, { force: true });
}

async function readNotes(path: string): Promise<{ url: string; version: Version } | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    // If the record of the version is missing or incomplete, the download starts again.
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return null;
    throw error;
  }
}

function fileSink(path: string, onBytes: (doneBytes: number) => void): DownloadSink {
  const size = async () => {
    try {
      return (await stat(path)).size;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return 0;
      throw error;
    }
  };
  return {
    size,
    async append(offset, body, signal) {
      let done = offset;
      const count = new Transform({
        transform(chunk: Buffer, _, next) {
          done += chunk.length;
          onBytes(done);
          next(null, chunk);
        },
      });
      if ((await size()) > offset) await truncate(path, offset);
      await pipeline(body, count, createWriteStream(path, { flags: 'a' }), { signal });
      return await size();
    },
    async reset() {
      await rm(path, { force: true });
    },
  };
}
