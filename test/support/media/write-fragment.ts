import { type FragmentHead, writeFragmentHead } from '../../../src/media/cmaf/write-fragment.ts';

/**
 * Creates one fragment, moof and mdat, in one buffer. The payload is the samples' bytes in order. Throws if its length
 * is not the sum of the samples. See `writeFragmentHead`.
 */
export function writeFragment(head: FragmentHead, payload: Uint8Array): Buffer {
  const sizeBytes = head.samples.reduce((sum, sample) => sum + sample.sizeBytes, 0);
  if (sizeBytes !== payload.length) {
    throw new Error(`Expected a payload of ${sizeBytes} bytes, the sum of its sample sizes, got ${payload.length}.`);
  }
  return Buffer.concat([writeFragmentHead(head), payload]);
}
