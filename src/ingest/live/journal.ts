import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Guid, parseGuid } from '../../lib/guid.ts';
import { hasCode } from '../../lib/has-code.ts';
import { readBoxHead } from '../../media/bmff/boxes.ts';
import type { FragmentEntry } from '../../media/cmaf/fragment-table.ts';
import type { SegmentFragment } from '../../media/cmaf/segment.ts';
import { readStoredFragments } from '../../media/cmaf/stored-fragments.ts';
import type { LivePart } from '../../media/live/packaging/part-writer.ts';

/** A segment of a rendition. The journal keeps its fragments in one file until its row is committed. */
export type JournalSegment = { streamId: Guid; period: number; renditionId: Guid; segment: number; wallMs: number };

export type JournalEntry = JournalSegment & { path: string };

const FILE = /^(\d{1,9})_([0-9a-f-]{36})_(\d{1,9})_(\d{1,15})\.m4s$/;

/** Keeps the parts of segments without a row on this machine's disk, so that they survive a crash of the process. */
export class Journal {
  readonly #folder: string;
  readonly #open = new Map<string, WriteStream>();
  readonly #report: (error: Error) => void;

  constructor(folder: string, report: (error: Error) => void) {
    this.#folder = folder;
    this.#report = report;
  }

  async openStream(streamId: Guid): Promise<void> {
    await mkdir(join(this.#folder, streamId), { recursive: true });
  }

  /**
   * Appends a part. Writes reach the operating system immediately, so received parts survive a crash of the process.
   */
  append(segment: JournalSegment, { fragment }: LivePart): void {
    const path = this.pathOf(segment);
    const file = this.#open.get(path) ?? this.#create(path);
    // Corked, so that header and media are written in one call without copying the media.
    file.cork();
    file.write(fragment.head);
    file.write(fragment.payload);
    file.uncork();
  }

  /** Ends the file of a closed segment. */
  close(segment: JournalSegment): void {
    const path = this.pathOf(segment);
    this.#open.get(path)?.end();
    this.#open.delete(path);
  }

  /** Deletes the file of a segment after its row was committed. */
  async forget(path: string): Promise<void> {
    this.#open.get(path)?.destroy();
    this.#open.delete(path);
    // `unlink` is used because `rm` would first determine the type of the file, on the main thread.
    await unlink(path).catch((error: Error) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
  }

  async forgetStream(streamId: Guid): Promise<void> {
    await rm(join(this.#folder, streamId), { recursive: true, force: true });
  }

  pathOf({ streamId, period, renditionId, segment, wallMs }: JournalSegment): string {
    return join(this.#folder, streamId, `${period}_${renditionId}_${segment}_${wallMs}.m4s`);
  }

  #create(path: string): WriteStream {
    const file = createWriteStream(path);
    // A full disk only weakens crash recovery. The stream continues.
    file.on('error', (error) => this.#report(error));
    this.#open.set(path, file);
    return file;
  }
}

/** Returns the files that earlier processes left in a journal folder, by stream. */
export async function listJournal(folder: string): Promise<Map<Guid, JournalEntry[]>> {
  await mkdir(folder, { recursive: true });
  const streams = new Map<Guid, JournalEntry[]>();
  for (const name of await readdir(folder)) {
    const streamId = parseGuid(name);
    if (streamId === null) continue;
    const files = await readdir(join(folder, name));
    streams.set(
      streamId,
      files.flatMap((file) => parseEntry(streamId, join(folder, name, file), file)),
    );
  }
  return streams;
}

function parseEntry(streamId: Guid, path: string, file: string): JournalEntry[] {
  const [, period, rendition = '', segment, wallMs] = FILE.exec(file) ?? [];
  const renditionId = parseGuid(rendition);
  if (renditionId === null) return [];
  return [{ streamId, path, period: Number(period), renditionId, segment: Number(segment), wallMs: Number(wallMs) }];
}

/**
 * Reads the complete fragments of a journal file, with offsets that exclude the presentation delay. Omits an incomplete
 * last fragment.
 */
export async function readJournalFile(path: string): Promise<SegmentFragment[]> {
  const bytes = await readFile(path);
  return readStoredFragments(bytes, wholeFragments(bytes));
}

/** Returns the positions of complete fragments: `moof` and the header of `mdat`, then its payload. */
function wholeFragments(bytes: Buffer): FragmentEntry[] {
  const fragments: FragmentEntry[] = [];
  let start = 0;
  let at = 0;
  for (
    let head = readBoxHead(bytes, at);
    head !== null && at + head.sizeBytes <= bytes.length;
    head = readBoxHead(bytes, at)
  ) {
    const payloadAt = at + head.headBytes;
    at += head.sizeBytes;
    if (head.type !== 'mdat') continue;
    const entry = { prefixBytes: payloadAt - start, payloadBytes: at - payloadAt };
    fragments.push({ ...entry, samples: 0, startsSegment: fragments.length === 0 });
    start = at;
  }
  return fragments;
}
