import { createCipheriv, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openAes } from '../../../lib/aes.ts';
import type { Subsample } from '../subsamples/subsample.ts';
import { PROTECTION_SCHEMES } from './all.ts';

/**
 * Simple reference implementations that encrypt one sample, written directly from the text of ISO 23001-7 section 10.
 */
const REFERENCES = {
  /** One key stream over all protected parts. */
  cenc(bytes: Buffer, parts: readonly Subsample[], key: Buffer, iv: Buffer): void {
    const cipher = createCipheriv('aes-128-ctr', key, Buffer.concat([iv, Buffer.alloc(8)]));
    eachPart(bytes, parts, (part) => void cipher.update(part).copy(part));
  },
  /** One chain per part, over one whole block in ten. */
  cbcs(bytes: Buffer, parts: readonly Subsample[], key: Buffer, iv: Buffer): void {
    eachPart(bytes, parts, (part) => {
      const cipher = createCipheriv('aes-128-cbc', key, iv).setAutoPadding(false);
      for (let at = 0; at + 16 <= part.length; at += 160) cipher.update(part.subarray(at, at + 16)).copy(part, at);
    });
  },
};

function eachPart(bytes: Buffer, parts: readonly Subsample[], use: (part: Buffer) => void): void {
  let at = 0;
  for (const { clearBytes, protectedBytes } of parts) {
    use(bytes.subarray(at + clearBytes, at + clearBytes + protectedBytes));
    at += clearBytes + protectedBytes;
  }
}

test.each(PROTECTION_SCHEMES)('encrypts a sample with any parts as specified for $name', (scheme) => {
  const { name } = scheme;
  const parts = fc.array(fc.record({ clearBytes: fc.nat(300), protectedBytes: fc.nat(2_000) }), { maxLength: 12 });
  const key = randomBytes(16);
  const encrypt = openAes(scheme.aesMode, key);
  fc.assert(
    fc.property(parts, (drawn) => {
      const whole = ({ clearBytes, protectedBytes }: Subsample) =>
        scheme.isBlockAligned ? { clearBytes, protectedBytes: protectedBytes & ~15 } : { clearBytes, protectedBytes };
      const subsamples = drawn.map(whole);
      const iv = randomBytes(scheme.sampleIvBytes || 16);
      const bytes = randomBytes(subsamples.reduce((sum, part) => sum + part.clearBytes + part.protectedBytes, 0));
      const expected = Buffer.from(bytes);
      REFERENCES[name](expected, subsamples, key, iv);
      scheme.encryptSample({ bytes, subsamples, encrypt, iv });
      expect(bytes.equals(expected)).toBe(true);
    }),
  );
});
