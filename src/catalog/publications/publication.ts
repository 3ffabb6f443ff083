import type { Guid } from '../../lib/guid.ts';
import type { ImageSet } from '../../media/images/image-set.ts';
import type { WallAnchor } from '../../media/live/recording/wall-anchors.ts';
import {
  type PublishedChunk,
  type PublishedRendition,
  segmentCount,
} from '../../media/presentation/published-rendition.ts';
import type { KeyGroup } from '../../ports/drm-key-source.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { DrmPackage } from '../drm/drm-package.ts';
import type { LiveHead } from '../live/viewing/live-head.ts';
import type { CaptionTrack, Chapter, MediaState, MetaTag } from '../schema.ts';
import type { Visibility } from '../visibility.ts';
import type { DeliverySettings } from './delivery-settings.ts';

/** A chunk and the storage key of its bytes. */
export type StoredChunk = PublishedChunk & { storageKey: StorageKey };

/** A rendition whose bytes can be served; `init` is null until its first chunk fixes it. */
export type StoredRendition = Omit<PublishedRendition, 'chunks'> & {
  /** The timeline of its cut list. */
  timelineId: Guid;
  init: Buffer | null;
  chunks: readonly StoredChunk[];
  keyGroup: KeyGroup;
  /** Present for one that joins the periods of a recording. It is never active, and only used for MP4 files. */
  isJoined?: true;
  /** The high 32 bits of its initialisation vectors, unique to this rendition. */
  ivPrefix: number;
};

/**
 * Everything that the edge needs to know about one media item, as of `revision`. It contains the active renditions and
 * those retired less than a day ago, because players that opened the old playlist still request them.
 */
export type Publication = {
  libraryId: number;
  mediaId: Guid;
  /** Collection of the video, or null, and for a live stream. */
  collectionId: Guid | null;
  /** `private` for a live stream that is not public. */
  visibility: Visibility;
  /** Present for a live stream, and for a recording of several periods. */
  live?: LiveHead;
  /** Capture times of its media; present for a recording of one period. */
  clock?: readonly WallAnchor[];
  /** Incremented with each change of the active renditions. */
  revision: number;
  pullZoneName: string;
  /** Revision of the zone's policy, because settings change without a new publication of each video. */
  policyRevision: number;
  settings: DeliverySettings;
  title: string;
  description: string | null;
  state: MediaState;
  stateReason: string | null;
  encodeProgressPercent: number;
  durationMs: number;
  widthPx: number;
  heightPx: number;
  frameRate: number;
  thumbnailKey: StorageKey | null;
  thumbnailFileName: string;
  thumbnailBlurhash: string | null;
  images: ImageSet | null;
  /** Peaks of the default audio, 0 to 255 each, or null until they are computed. */
  waveform: Buffer | null;
  sourceKey: StorageKey | null;
  /** The source's container as named by the probe, or null before the probe. */
  sourceContainer: string | null;
  captions: readonly CaptionTrack[];
  chapters: readonly Chapter[];
  metaTags: readonly MetaTag[];
  renditions: readonly StoredRendition[];
  /** The keys that encrypt it while its library has Enterprise DRM, newest first. */
  packages: readonly DrmPackage[];
};

const BASE_BYTES = 2_000;
const CHUNK_BYTES = 700;
const SEGMENT_BYTES = 12;

/** Estimates the memory of a publication in bytes, for the bound of a cache. */
export function publicationBytes({ renditions, waveform }: Publication): number {
  return renditions.reduce(
    (sum, { init, planned, cutList, chunks }) => {
      const segments = chunks.reduce((count, chunk) => count + segmentCount(chunk.table), 0);
      const listed = planned === null ? 0 : segmentCount(planned);
      const own = (init?.length ?? 0) + cutList.startTicks.length * 8 + chunks.length * CHUNK_BYTES;
      return sum + own + (segments + listed) * SEGMENT_BYTES;
    },
    BASE_BYTES + (waveform?.length ?? 0),
  );
}
