import { createDecipheriv, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openAes } from './aes.ts';

const iv = randomBytes(16);

test('data encrypted in place decrypts correctly, and CBC leaves a partial block unencrypted', () => {
  const [one, other] = [randomBytes(16), randomBytes(16)];
  const open = { ctr: openAes('ctr', one), cbc: openAes('cbc', other) };
  for (const sizeBytes of [0, 1, 16, 17, 4_096, 100_001]) {
    for (const mode of ['ctr', 'cbc'] as const) {
      const clear = randomBytes(sizeBytes + 2);
      const bytes = Buffer.from(clear);
      open[mode](bytes.subarray(1, -1), iv);
      const end = mode === 'ctr' ? bytes.length - 1 : 1 + sizeBytes - (sizeBytes % 16);
      const decipher = createDecipheriv(`aes-128-${mode}`, mode === 'ctr' ? one : other, iv).setAutoPadding(false);
      decipher.update(bytes.subarray(1, end)).copy(bytes, 1);
      expect(bytes.equals(clear)).toBe(true);
    }
  }
});

test('rejects keys and initialisation vectors of the wrong length', () => {
  expect(() => openAes('cbc', Buffer.alloc(15))(Buffer.alloc(16), iv)).toThrow();
  expect(() => openAes('cbc', Buffer.alloc(16))(Buffer.alloc(16), Buffer.alloc(8))).toThrow();
});
