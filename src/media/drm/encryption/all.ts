import type { SchemeName } from '../../../ports/drm-key-source.ts';
import { cbcs } from './cbcs.ts';
import { cenc } from './cenc.ts';
import type { ProtectionScheme } from './protection-scheme.ts';

/** All protection schemes, in descending order of player support. */
export const PROTECTION_SCHEMES: readonly ProtectionScheme[] = [cbcs, cenc];

/** Returns the scheme with a name. */
export function findScheme(name: SchemeName): ProtectionScheme {
  const scheme = PROTECTION_SCHEMES.find((candidate) => candidate.name === name);
  if (scheme !== undefined) return scheme;
  throw new Error(
    `Expected one of the schemes ${PROTECTION_SCHEMES.map((known) => known.name).join(', ')}, got ${name}.`,
  );
}
