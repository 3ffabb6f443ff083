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
import type { DeliverySettings } from './delivery-settings.ts';

/** A chunk and where its bytes lie. */
export type StoredChunk = PublishedChunk & { storageKey: StorageKey };

/** A rendition whose bytes can be served; `init` is null until its first chunk fixed it. */
export type StoredRendition = Omit<PublishedRendition, 'chunks'> & {
  /** Of the cut list that it lies on. */
  timelineId: Guid;
  init: Buffer | null;
  chunks: readonly StoredChunk[];
  keyGroup: KeyGroup;
  /** A number that no other rendition ever has. */
  ivPrefix: number;
};

/**
 * All that the edge must know of one media, as of `publication`. Besides the active renditions it holds
 * those that were retired less than a day ago: players that opened the old playlist still request them.
 */
export type Publication = {
  libraryId: number;
  mediaId: Guid;
  /** There while it is a live stream, and for a recording of several periods. */
  live?: LiveHead;
  /** When its media was taken; there for a recording of one period. */
  clock?: readonly WallAnchor[];
  /** Rises with each change of what is active. */
  revision: number;
  pullZoneName: string;
  /** Of the zone's policy: settings change without a new publication of each video. */
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
  sourceKey: StorageKey | null;
  /** The source's container as the probe names it; null before the probe. */
  sourceContainer: string | null;
  captions: readonly CaptionTrack[];
  chapters: readonly Chapter[];
  metaTags: readonly MetaTag[];
  renditions: readonly StoredRendition[];
  /** The keys under which it is given out while its library has Enterprise DRM, newest first. */
  packages: readonly DrmPackage[];
};

const BASE_BYTES = 2_000;
const CHUNK_BYTES = 700;
const SEGMENT_BYTES = 12;

/** Roughly what a publication holds in memory, for the bound of a cache. */
export function publicationBytes({ renditions }: Publication): number {
  return renditions.reduce((sum, { init, planned, cutList, chunks }) => {
    const segments = chunks.reduce((count, chunk) => count + segmentCount(chunk.table), 0);
    const listed = planned === null ? 0 : segmentCount(planned);
    const own = (init?.length ?? 0) + cutList.startTicks.length * 8 + chunks.length * CHUNK_BYTES;
    return sum + own + (segments + listed) * SEGMENT_BYTES;
  }, BASE_BYTES);
}
