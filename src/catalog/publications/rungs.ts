import type { StoredRendition } from './publication.ts';

/** Returns the height of a rendition's rung as used in URLs (720 in `720p`). */
export function rungOf({ rung, heightPx }: StoredRendition): number {
  return rung ?? heightPx ?? 0;
}

export function isH264({ codecString }: StoredRendition): boolean {
  return codecString !== null && /^avc[13]\./.test(codecString);
}
