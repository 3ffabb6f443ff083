import type { Guid } from '../../../lib/guid.ts';

/** Stands for all videos of a library in the sums that have a row for it. No media has it. */
export const WHOLE_LIBRARY = '00000000-0000-0000-0000-000000000000' as Guid; // Of a GUID's form.
