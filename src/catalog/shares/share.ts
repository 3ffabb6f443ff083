import type { Guid } from '../../lib/guid.ts';

/** A share as its editors see it. `token` is the secret part of its link. */
export type ShareView = {
  id: Guid;
  token: string;
  hasPassword: boolean;
  allowsDownload: boolean;
  /** Null: never. */
  expiresAt: Date | null;
  /** E-mail address of a person, or name of a key. */
  createdBy: string;
  createdAt: Date;
};

/** A share as the edge needs it. */
export type Share = {
  id: Guid;
  libraryId: number;
  mediaId: Guid;
  /** PHC string, or null if the link is enough. */
  passwordHash: string | null;
  allowsDownload: boolean;
  expiresAt: Date | null;
};

/** Matches the secret part of a share's link: 32 random bytes in base64url. Logs mask segments of this form. */
export const SHARE_TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Returns whether a share has expired. */
export function hasShareExpired({ expiresAt }: Pick<Share, 'expiresAt'>, nowMs: number): boolean {
  return expiresAt !== null && expiresAt.getTime() <= nowMs;
}
