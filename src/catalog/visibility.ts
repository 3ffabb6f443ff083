/**
 * Visibility of a video: which viewers can play and find it. `public`: everybody whom the rules of the library allow.
 * `unlisted`: the same viewers, but no list or feed names it. `private`: only with a token that proves the owner's
 * permission.
 */
export const VISIBILITIES = ['public', 'unlisted', 'private'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** Returns the most restrictive of several visibilities, or `public` for none. */
export function strictest(visibilities: Iterable<Visibility>): Visibility {
  let found = 0;
  for (const visibility of visibilities) found = Math.max(found, VISIBILITIES.indexOf(visibility));
  return VISIBILITIES[found] ?? 'private';
}

/** Returns the visibility with a name in any case, or null for any other value. */
export function readVisibility(value: unknown): Visibility | null {
  return VISIBILITIES.find((name) => name === String(value).toLowerCase()) ?? null;
}
