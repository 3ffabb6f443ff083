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
import type { Exporter } from './exports/exporter.ts';
import type { SettingsImporter } from './imports/settings-importer.ts';
import type { SegmentEncoders } from './on-demand/segment-encoders.ts';
import type { Queue } from './queue/define-job.ts';
import type { StoreGuard } from './store/store-guard.ts';

/** Dependencies of the jobs. `compose.ts` creates them in the worker role. */
export type JobDeps = {
  db: Db;
  storage: Storage;
  /** Prevents sweeps from deleting in a store that does not belong to this database. */
  store: Pick<StoreGuard, 'requireOurs'>;
  queue: Queue;
  sources: SourceCache;
  /** HTTP client for URLs that callers send. `secretBox` decrypts the stored URLs and headers. */
  outbound: Outbound;
  secretBox: SecretBox;
  /** Returns the current transcriber, or null if there is none. A model may be added at any time. */
  findTranscriber(): Promise<Transcriber | null>;
  /** Detects speech. Null if not installed. */
  voice: VoiceDetector | null;
  /** Writes and translates texts. Null if none is configured. */
  languageModel: LanguageModel | null;
  /** Provides the keys of protected videos. */
  packager: Packager;
  /** Opens libraries and destinations of exports. Absent if this process runs no exports. */
  exporter?: Exporter;
  /** Imports the settings of libraries. Absent if this process imports none. */
  importSettings?: SettingsImporter;
  /** Overrides of the default limits for origins. */
  fetchLimits?: Partial<DownloadLimits>;
  /** Name of this process in leases, shown to operators. */
  owner: string;
  /**
   * Total number of threads for encoding. An urgent task may use all of them. Other tasks run concurrently with one
   * thread each.
   */
  threads: number;
  /** Whether a video gets animated previews in addition to thumbnails. */
  makesPreviews: boolean;
  /** Number of days for which viewing sessions are kept. Default: 90. */
  sessionDays?: number;
  /** Encode tasks for requested segments that run in this process. */
  segments: SegmentEncoders;
  /** Maximum address space of one encoder, in bytes. Default: 6 GiB. */
  encoderMemoryBytes?: number;
  /**
   * Minimum age of an object without a row before quarantine, in ms. Default: an hour, or a minute for staged bytes.
   */
  orphanAgeMs?: number;
  /** Time in quarantine before an object is deleted, in seconds. Default: a day. */
  quarantineSec?: number;
  /** Time for which replaced objects are kept, in seconds. Default: ten minutes. */
  retiredGraceSec?: number;
  /** Maximum time of a sweep step, in ms. Default: half a minute. */
  stepMs?: number;
  /** Maximum bytes written by a run of the chunk merge. Default: 1 GiB. */
  mergeBytes?: number;
  report: (error: Error) => void;
};
