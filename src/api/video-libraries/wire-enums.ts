import type { LibrarySettings } from '../../catalog/libraries/library-settings.ts';
import { DrmVersion, EncodingTier } from '../models/enums.ts';

/** Numbers of the encoding tiers and DRM versions in the API. */
export const TIERS = {
  free: EncodingTier.values.Free,
  premium: EncodingTier.values.Premium,
} as const satisfies Record<LibrarySettings['encoding']['tier'], number>;

export const DRM_VERSIONS = {
  basic: DrmVersion.values.Basic,
  enterprise: DrmVersion.values.Enterprise,
  'basic-v2': DrmVersion.values.BasicV2,
} as const satisfies Record<LibrarySettings['drm']['version'], number>;

/** Returns the name of a number; undefined if none was sent. The schema has already rejected every other number. */
export function nameOf<Name extends string>(
  numbers: Readonly<Record<Name, number>>,
  sent: number | null | undefined,
): Name | undefined {
  const names = Object.keys(numbers) as Name[]; // The keys of a record of names are those names.
  return names.find((name) => numbers[name] === sent);
}
