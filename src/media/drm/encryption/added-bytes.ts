import type { SchemeName } from '../../../ports/drm-key-source.ts';
import type { AddedBytes } from '../../presentation/segment-run.ts';

/** Heads of senc, saiz and saio, for as many fragments as a segment has. */
const HEADS_BYTES = 256;
/** A senc entry's count of subsamples, four of these, and its size in saiz: few frames have more slices. */
const DIVIDED_BYTES = 2 + 4 * 6 + 1;
const IV_BYTES = 8;

/** What common encryption adds to segments at most, unless frames have more than four slices. */
export function bytesAddedBy(scheme: SchemeName, kind: 'video' | 'audio'): AddedBytes {
  const ivBytes = scheme === 'cenc' ? IV_BYTES : 0;
  return { eachSegment: HEADS_BYTES, eachSample: ivBytes + (kind === 'video' ? DIVIDED_BYTES : 0) };
}

/** What padding adds to a segment that is encrypted whole. */
export const BYTES_ADDED_BY_PADDING: AddedBytes = { eachSegment: 16, eachSample: 0 };
