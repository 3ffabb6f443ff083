import type { SchemeName } from '../../../ports/drm-key-source.ts';
import type { AddedBytes } from '../../presentation/segment-run.ts';

/** Bytes of the senc, saiz and saio headers of all fragments of a segment. */
const HEADS_BYTES = 256;
/**
 * Bytes per divided sample: the subsample count of a senc entry, four subsamples, and the size in saiz. Few frames have
 * more slices.
 */
const DIVIDED_BYTES = 2 + 4 * 6 + 1;
const IV_BYTES = 8;

/**
 * Returns the maximum number of bytes that common encryption adds to segments, unless frames have more than four
 * slices.
 */
export function bytesAddedBy(scheme: SchemeName, kind: 'video' | 'audio'): AddedBytes {
  const ivBytes = scheme === 'cenc' ? IV_BYTES : 0;
  return { eachSegment: HEADS_BYTES, eachSample: ivBytes + (kind === 'video' ? DIVIDED_BYTES : 0) };
}

/** Bytes that padding adds to a segment encrypted as a whole. */
export const BYTES_ADDED_BY_PADDING: AddedBytes = { eachSegment: 16, eachSample: 0 };
