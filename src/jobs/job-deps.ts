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

/** Dependencies of the jobs. `compose.ts` creates them for the worker role. */
export type JobDeps = {
  db: Db;
  storage: Storage;
  /** Keeps sweeps from deleting in a store that is not this database's. */
  store: Pick<StoreGuard, 'requireOurs'>;
  queue: Queue;
  sources: SourceCache;
  /** Connections to origins that callers name. Their sealed requests are opened with `secretBox`. */
  outbound: Outbound;
  secretBox: SecretBox;
  /** Returns the current transcriber, or null if there is none: a model may be added at any time. */
  findTranscriber(): Promise<Transcriber | null>;
  /** Detects speech; null if not installed. */
  voice: VoiceDetector | null;
  /** Writes and translates texts; null if none is configured. */
  languageModel: LanguageModel | null;
  /** Provides the keys of protected videos. */
  packager: Packager;
  /** Overrides of the usual limits for origins. */
  fetchLimits?: Partial<DownloadLimits>;
  /** Name of this process in leases, for operators. */
  owner: string;
  /** Total threads for encoding. Awaited work may use them all; other work runs concurrently with one each. */
  threads: number;
  /** Whether a video gets animated previews in addition to thumbnails. */
  makesPreviews: boolean;
  /** Days for which viewing sessions are kept; 90 by default. */
  sessionDays?: number;
  /** The segment tasks that run here. */
  segments: SegmentEncoders;
  /** Address space that one encoder may use; 6 GiB by default. */
  encoderMemoryBytes?: number;
  /**
   * Minimum age of an object without a row before it goes into quarantine: an hour by default, a minute for staged
   * bytes.
   */
  orphanAgeMs?: number;
  /** Time in quarantine before an object is deleted; a day by default. */
  quarantineSec?: number;
  /** Time for which replaced objects are kept; ten minutes by default. */
  retiredGraceSec?: number;
  /** Maximum time of a sweep step; half a minute by default. */
  stepMs?: number;
  /** Maximum bytes that a run of the chunk merge writes; 1 GiB by default. */
  mergeBytes?: number;
  report: (error: Error) => void;
};
