import type { Guid } from '../../lib/guid.ts';
import type { Visibility } from '../visibility.ts';

/** A share as its editors see it. `token` is the secret part of its link. */
export type ShareView = {
  id: Guid;
  token: string;
  hasPassword: boolean;
  emailDomains: string[];
  allowsDownload: boolean;
  /** Whether viewers can comment. Always false for a collection. */
  allowsComments: boolean;
  /** Null: never. */
  expiresAt: Date | null;
  /** E-mail address of a person, or name of a key. */
  createdBy: string;
  createdAt: Date;
};

/** The videos that a share shows: one, or all that are in a collection at that time. */
export type ShareTarget = { kind: 'video'; mediaId: Guid } | { kind: 'collection'; collectionId: Guid };

/** A share as the edge needs it. */
export type Share = {
  id: Guid;
  libraryId: number;
  target: ShareTarget;
  /** PHC string, or null if the link is enough. */
  passwordHash: string | null;
  /** Domains of the e-mail addresses of viewers, in lower case and ASCII; empty: no address is needed. */
  emailDomains: readonly string[];
  allowsDownload: boolean;
  allowsComments: boolean;
  expiresAt: Date | null;
};

/** Matches the secret part of a share's link: 32 random bytes in base64url. Logs mask segments of this form. */
export const SHARE_TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Returns whether the link of a share is enough to open its page. */
export function isShareOpen({ passwordHash, emailDomains }: Share): boolean {
  return passwordHash === null && emailDomains.length === 0;
}

/** Returns whether a share has expired. */
export function hasShareExpired({ expiresAt }: Pick<Share, 'expiresAt'>, nowMs: number): boolean {
  return expiresAt !== null && expiresAt.getTime() <= nowMs;
}

/** Returns when a share expires, in seconds since 1970; infinity for never. */
export function shareEndSec({ expiresAt }: Pick<Share, 'expiresAt'>): number {
  return expiresAt === null ? Number.POSITIVE_INFINITY : Math.floor(expiresAt.getTime() / 1000);
}

/**
 * Returns whether a share shows a video. `collectionId` is that of the video, or null. The share of a collection shows
 * only public videos.
 */
export function showsVideo(
  { libraryId, target }: Share,
  video: { libraryId: number; mediaId: Guid; collectionId: Guid | null; visibility: Visibility },
): boolean {
  if (libraryId !== video.libraryId) return false;
  if (target.kind === 'video') return target.mediaId === video.mediaId;
  return target.collectionId === video.collectionId && video.visibility === 'public';
}
