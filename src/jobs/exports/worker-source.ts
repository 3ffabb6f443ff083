import type { Readable } from 'node:stream';
import type { OpenExport } from '../../catalog/exports/export-work-store.ts';
import { AUDIO_FILE } from '../../catalog/shield/admission/edge-path.ts';
import { paceBody } from '../../lib/outbound/pace-body.ts';
import { Refused } from '../../lib/refused.ts';
import type { ExportedFile, ExportedVideo, ExportSource } from './export-source.ts';
import type { ExportLibrary } from './exporter.ts';
import { DownloadFailed, type RemoteAnswer, type RemoteFile } from './transfer-fault.ts';

/** A library as source of an export in a worker. Limits the bandwidth, and counts the bytes. */
export class WorkerSource implements ExportSource {
  readonly #library: ExportLibrary;
  readonly #maxBytesPerSec: number | null;
  readonly #signal: AbortSignal;
  readonly #titles: string[] = [];
  #bytes: number;

  constructor(library: ExportLibrary, { concurrency, maxBytesPerSec, bytes }: OpenExport, signal: AbortSignal) {
    this.#library = library;
    this.#maxBytesPerSec = maxBytesPerSec === null ? null : Math.max(1, Math.floor(maxBytesPerSec / concurrency));
    this.#signal = signal;
    this.#bytes = bytes;
  }

  collections(): ReturnType<ExportSource['collections']> {
    return this.#library.collections();
  }

  comments(guid: string): ReturnType<ExportSource['comments']> {
    return ofVideo(this.#library.comments(guid));
  }

  extras(guid: string): ReturnType<ExportSource['extras']> {
    return ofVideo(this.#library.extras(guid));
  }

  settings(): ReturnType<ExportSource['settings']> {
    return this.#library.settings();
  }

  statistics(): ReturnType<ExportSource['statistics']> {
    return this.#library.statistics();
  }

  file({ guid }: ExportedVideo, file: ExportedFile): RemoteFile {
    return { name: nameOf(file), skips: true, request: (fromByte) => this.#open(guid, file, fromByte) };
  }

  begin(title: string): void {
    this.#titles.push(title);
  }

  end(title: string): void {
    this.#titles.splice(this.#titles.indexOf(title), 1);
  }

  /** Returns the title of the oldest video in transfer, and the bytes of all transfers. */
  progress(): { current: string | null; bytes: number } {
    return { current: this.#titles[0] ?? null, bytes: this.#bytes };
  }

  async #open(guid: string, file: ExportedFile, fromByte: number): Promise<RemoteAnswer> {
    const signal = this.#signal;
    const body = await this.#library.read(guid, file, fromByte, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof Refused && error.kind === 'not-found') {
        throw new DownloadFailed(error.message, { isPermanent: true });
      }
      throw unrelated(error);
    });
    const limit = this.#maxBytesPerSec;
    const paced = limit === null ? body : paceBody(body, limit, signal);
    return { status: 200, body: this.#count(paced) };
  }

  async *#count(body: Readable): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of body) {
        this.#bytes += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw unrelated(error);
    }
  }
}

/** A video that was deleted in the meantime must not end the export. */
async function ofVideo<Value>(reading: Promise<Value>): Promise<Value> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Refused && error.kind === 'not-found') throw new DownloadFailed(error.message);
    throw error;
  }
}

/** Converts a failure of our own storage, so that it is not mistaken for one of the destination. */
function unrelated(cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`the storage of this service did not send it (${reason})`, { cause });
}

function nameOf(file: ExportedFile): string {
  switch (file.kind) {
    case 'original':
      return 'original';
    case 'mp4':
      return `play_${file.heightPx}p.mp4`;
    case 'audio':
      return AUDIO_FILE;
    case 'captions':
      return `captions/${file.srclang}.vtt`;
    case 'thumbnail':
      return file.fileName;
  }
}
