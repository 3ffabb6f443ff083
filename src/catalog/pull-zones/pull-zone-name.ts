import type { Brand } from '../../lib/brand.ts';

/** Name of a pull zone in URLs: `vz-` and up to 60 lower-case letters, digits and hyphens. */
export type PullZoneName = Brand<string, 'PullZoneName'>;

const NAME = /^vz-[a-z0-9-]{1,60}$/;

/** Parses a pull zone's name, ignoring case as in host names. Returns null for anything else. */
export function parsePullZoneName(text: string): PullZoneName | null {
  const lower = text.toLowerCase();
  // A name that matches the pattern satisfies the brand.
  return NAME.test(lower) ? (lower as PullZoneName) : null;
}
