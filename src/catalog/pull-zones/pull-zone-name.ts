import type { Brand } from '../../lib/brand.ts';

/** Names a pull zone in addresses: `vz-` and up to 60 lower-case letters, digits and hyphens. */
export type PullZoneName = Brand<string, 'PullZoneName'>;

const NAME = /^vz-[a-z0-9-]{1,60}$/;

/** Reads a pull zone's name in either case, as host names are; null for anything else. */
export function parsePullZoneName(text: string): PullZoneName | null {
  const lower = text.toLowerCase();
  // The pattern is the proof.
  return NAME.test(lower) ? (lower as PullZoneName) : null;
}
