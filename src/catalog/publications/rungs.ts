import type { StoredRendition } from './publication.ts';

/** The rung's height as addresses name it (`720p`). */
export function rungOf({ rung, heightPx }: StoredRendition): number {
  return rung ?? heightPx ?? 0;
}

export function isH264({ codecString }: StoredRendition): boolean {
  return codecString !== null && /^avc[13]\./.test(codecString);
}
