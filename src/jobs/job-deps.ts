import type { Db } from '../catalog/db.ts';
import type { Packager } from '../catalog/drm/packager.ts';
import type { DownloadLimits } from '../lib/outbound/download.ts';
import type { Outbound } from '../lib/outbound/outbound.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { Storage } from '../ports/storage.ts';
import type { Transcriber } from '../ports/transcriber.ts';
import type { VoiceDetector } from '../ports/voice-detector.ts';
import type { SourceCache } from './encode/source-cache.ts';
import type { SegmentEncoders } from './on-demand/segment-encoders.ts';
import type { Queue } from './queue/define-job.ts';
import type { StoreGuard } from './store/store-guard.ts';

/** What the jobs need. `compose.ts` makes it for the worker role. */
export type JobDeps = {
  db: Db;
  storage: Storage;
  /** Keeps sweeps from deleting in a store that is not this database's. */
  store: Pick<StoreGuard, 'requireOurs'>;
  queue: Queue;
  sources: SourceCache;
  /** The way to origins that callers name; the sealed requests for them are opened with `secretBox`. */
  outbound: Outbound;
  secretBox: SecretBox;
  /** Finds what turns speech into text now: a model may be added at any time. Null where there is none. */
  findTranscriber(): Promise<Transcriber | null>;
  /** Finds where somebody speaks; null where it is not installed. */
  voice: VoiceDetector | null;
  /** Writes and translates texts; null where none is set. */
  languageModel: LanguageModel | null;
  /** Gives protected videos their keys. */
  packager: Packager;
  /** What differs from the usual patience with origins. */
  fetchLimits?: Partial<DownloadLimits>;
  /** Names this process in leases, for people who ask who holds what. */
  owner: string;
  /** Threads for encoding in all: what is awaited may use them, all else runs side by side with one each. */
  threads: number;
  /** Whether a video gets animated previews beside its thumbnails. */
  makesPreviews: boolean;
  /** How many days viewing sessions are kept; 90 when left out. */
  sessionDays?: number;
  /** The segment tasks that run here. */
  segments: SegmentEncoders;
  /** Address space that one encoder may use; 6 GiB when left out. */
  encoderMemoryBytes?: number;
  /**
   * How old an object without a row must be before it goes into quarantine; an hour when left out, a minute for staged
   * bytes.
   */
  orphanAgeMs?: number;
  /** How long it stays there before it is deleted; a day when left out. */
  quarantineSec?: number;
  /** How long objects stay that were replaced; ten minutes when left out. */
  retiredGraceSec?: number;
  /** What a step of a sweep may take; half a minute when left out. */
  stepMs?: number;
  /** Bytes that a run of the merging of chunks writes; 1 GiB when left out. */
  mergeBytes?: number;
  report: (error: Error) => void;
};
