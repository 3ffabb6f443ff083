import type { StoredRendition } from './publication.ts';

/** Returns the rung's height as used in addresses (`720p`). */
export function rungOf({ rung, heightPx }: StoredRendition): number {
  return rung ?? heightPx ?? 0;
}

export function isH264({ codecString }: StoredRendition): boolean {
  return codecString !== null && /^avc[13]\./.test(codecString);
}
