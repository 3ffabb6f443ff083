import type { Guid } from '../../lib/guid.ts';
import type { CaptionTrack } from '../schema.ts';
import type { FeedAccess } from './feed-schema.ts';

export type FeedKey = { libraryId: number; collectionId: Guid };

/** Maximum number of feeds of a library in a list. */
export const MAX_LISTED_FEEDS = 1_000;

/** Texts of a feed that its editors set, or null for the default. */
export type FeedTexts = {
  title: string | null;
  description: string | null;
  author: string | null;
  /** Language tag (RFC 5646). */
  language: string | null;
  /** Category of podcast directories. */
  category: string | null;
  isExplicit: boolean;
};

/** A feed of a collection. `token` is null unless its readers need one. */
export type Feed = FeedKey & FeedTexts & { collectionName: string; access: FeedAccess; token: string | null };

/** A finished video in a feed. `rungs` are those that may be offered as MP4, with the bytes of their renditions. */
export type FeedVideo = {
  id: Guid;
  title: string;
  description: string | null;
  category: string | null;
  createdAt: Date;
  durationMs: number;
  widthPx: number;
  heightPx: number;
  thumbnailFileName: string | null;
  captions: CaptionTrack[];
  keywords: string | null;
  rungs: { rung: number; bytes: number }[];
  audioBytes: number | null;
  hasVideo: boolean;
};
