import type { Guid } from '../../../lib/guid.ts';

/** Media id that represents all videos of a library in sums. No media has this id. */
export const WHOLE_LIBRARY = '00000000-0000-0000-0000-000000000000' as Guid; // Has the form of a GUID.
