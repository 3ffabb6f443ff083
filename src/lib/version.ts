import { readFileSync } from 'node:fs';

/** Returns the version in package.json. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  return version;
}

/** Numbers of a version such as `1.4.0`. `isPreRelease`: the version has a suffix such as `-rc.1`. */
type Parts = { numbers: readonly number[]; isPreRelease: boolean };

/**
 * Returns whether `version` is `oldest` or newer, by the rules of Semantic Versioning 2.0.0 section 11. A pre-release
 * counts as older than its release, and pre-releases of one version count as equal. Returns null if one of the texts is
 * not a version.
 */
export function isAtLeast(version: string, oldest: string): boolean | null {
  const [one, other] = [parseVersion(version), parseVersion(oldest)];
  if (one === null || other === null) return null;
  for (const [index, number] of one.numbers.entries()) {
    const least = other.numbers[index] ?? 0;
    if (number !== least) return number > least;
  }
  return other.isPreRelease || !one.isPreRelease;
}

function parseVersion(text: string): Parts | null {
  const found = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/.exec(text);
  if (found === null) return null;
  return { numbers: found.slice(1, 4).map(Number), isPreRelease: found[4] !== undefined };
}
