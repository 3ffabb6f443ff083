import type { Guid } from '../../lib/guid.ts';

/** Destinations of an export: a bucket, or a folder on the machine of the service. */
export const EXPORT_TARGETS = ['s3', 'folder'] as const;
export type ExportTargetKind = (typeof EXPORT_TARGETS)[number];

/** `failed`: the destination or the library could not be used. A resumed export continues from any ended state. */
export const EXPORT_STATES = ['running', 'cancelled', 'finished', 'failed'] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

/** Default and maximum number of videos that one export writes at once. Each needs 64 MiB of memory. */
export const DEFAULT_EXPORT_CONCURRENCY = 2;
export const MAX_EXPORT_CONCURRENCY = 4;

/** Maximum number of problems that an export keeps. Later ones are only counted. */
export const MAX_EXPORT_PROBLEMS = 100;

export type ExportKey = { libraryId: number; exportId: Guid };
/** The right to work on an export. A later tick fences an earlier one. */
export type ExportTick = ExportKey & { tick: number };

/** Outcome of a video. `unchanged`: the destination has its file already. `empty`: it has no file. */
export type ExportOutcome = 'exported' | 'unchanged' | 'empty' | 'failed';

/** A video that could not be exported, with the reason. */
export type ExportProblem = { guid: string; title: string; reason: string };

/**
 * Destination of an export, as it is stored: sealed. `folder` is a name below the folder of the operator. `prefix` is
 * empty or ends with a slash.
 */
export type ExportDestination =
  | {
      kind: 's3';
      endpoint: string;
      region: string;
      bucket: string;
      prefix: string;
      accessKeyId: string;
      secretAccessKey: string;
    }
  | { kind: 'folder'; folder: string };

/** `total` is the number of videos at the start. `bytes` counts transferred media. */
export type ExportCounts = { total: number; bytes: number } & Record<ExportOutcome, number>;

export type ExportReport = {
  id: Guid;
  libraryId: number;
  target: ExportTargetKind;
  /** URL of the destination without secrets, or the name of the folder. */
  address: string;
  state: ExportState;
  concurrency: number;
  /** Maximum bytes per second of all transfers together, or null for no limit. */
  maxBytesPerSec: number | null;
  /** Title of a video in transfer, or null if there is none. */
  current: string | null;
  /** Reason why the export waits or failed, or null. */
  reason: string | null;
  createdAt: Date;
  endedAt: Date | null;
  counts: ExportCounts;
  problems: ExportProblem[];
};
