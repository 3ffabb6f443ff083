import type { Guid } from '../../../lib/guid.ts';

/** Represents all videos of a library in sums with a row for it. No media has this id. */
export const WHOLE_LIBRARY = '00000000-0000-0000-0000-000000000000' as Guid; // In the form of a GUID.
