import { BrokenMedia } from '../../bmff/broken-media.ts';
import type { FlvTag } from './flv-tag.ts';

const FILE_HEAD_BYTES = 13;
const TAG_HEAD_BYTES = 11;
const TAG_TAIL_BYTES = 4;
const VIDEO = 9;

/**
 * Creates a reader that splits an FLV file, received in chunks of any size, into its video tags (Adobe's FLV
 * specification 10.1, annex E).
 */
export function createFlvReader(): { push(chunk: Buffer): FlvTag[] } {
  let held: Buffer = Buffer.alloc(0);
  let hasHead = false;
  return {
    push(chunk) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const tags: FlvTag[] = [];
      if (!hasHead) {
        if (held.length < FILE_HEAD_BYTES) return tags;
        if (held.toString('latin1', 0, 3) !== 'FLV')
          throw new BrokenMedia('Expected an FLV file, got bytes without the signature "FLV".');
        held = held.subarray(FILE_HEAD_BYTES);
        hasHead = true;
      }
      while (held.length >= TAG_HEAD_BYTES) {
        const bodyBytes = held.readUIntBE(1, 3);
        const sizeBytes = TAG_HEAD_BYTES + bodyBytes + TAG_TAIL_BYTES;
        if (held.length < sizeBytes) break;
        // The fourth byte of the timestamp is the most significant one.
        const timestampMs = held.readUIntBE(4, 3) + held.readUInt8(7) * 2 ** 24;
        const body = held.subarray(TAG_HEAD_BYTES, TAG_HEAD_BYTES + bodyBytes);
        if (held.readUInt8(0) === VIDEO) tags.push({ type: VIDEO, timestampMs, body: Buffer.from(body) });
        held = held.subarray(sizeBytes);
      }
      return tags;
    },
  };
}
