import type { Readable } from 'node:stream';
import type { ExportDestination } from '../../catalog/exports/library-export.ts';
import type { Guid } from '../../lib/guid.ts';
import type { ExportedFile, ExportedVideo, ExportSource } from './export-source.ts';
import type { ExportTarget } from './export-target.ts';

/** A library whose files a worker reads from its storage. */
export type ExportLibrary = Pick<ExportSource, 'collections' | 'comments' | 'extras' | 'settings' | 'statistics'> & {
  /** Returns the fields of a video as the API has them, or null if it was deleted. */
  video(id: Guid): Promise<ExportedVideo | null>;
  /** Opens a file at a byte. Throws `Refused` (`not-found`) if the video has no such file. */
  read(id: string, file: ExportedFile, fromByte: number, signal: AbortSignal): Promise<Readable>;
};

/** Opens both ends of an export. */
export type Exporter = {
  openLibrary(libraryId: number): Promise<ExportLibrary>;
  /**
   * Opens a destination. Throws `Refused`: `invalid` if its address, its keys or a setting have to be corrected,
   * `unavailable` if it does not respond.
   */
  openTarget(libraryId: number, destination: ExportDestination, signal: AbortSignal): Promise<ExportTarget>;
};
