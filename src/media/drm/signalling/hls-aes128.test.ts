import { createDecipheriv, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { runAtOnce } from '../../../../test/support/media/read-test-protection.ts';
import { openAes } from '../../../lib/aes.ts';
import { encryptedHlsSizeBytes, encryptHlsSegment } from './hls-aes128.ts';
import { writeKeyAttributes } from './hls-key.ts';

const key = randomBytes(16);
const encrypt = openAes('cbc', key);

function encryptCopy(segment: Buffer, mediaSequence: number): Buffer {
  const room = Buffer.concat([segment, Buffer.alloc(16)], encryptedHlsSizeBytes(segment.length));
  return runAtOnce(encryptHlsSegment({ room, clearBytes: segment.length }, encrypt, mediaSequence));
}

describe('a segment encrypted as a whole', () => {
  test.each([0, 1, 15, 16, 17, 1000, 2 ** 21 - 1, 2 ** 21, 5_000_000])(
    'decrypts with its sequence number as IV at %i bytes',
    (sizeBytes) => {
      const segment = randomBytes(sizeBytes);
      const encrypted = encryptCopy(segment, 0x1_0000_0002);
      const decipher = createDecipheriv('aes-128-cbc', key, Buffer.from('00000000000000000000000100000002', 'hex'));
      expect(Buffer.concat([decipher.update(encrypted), decipher.final()]).equals(segment)).toBe(true);
    },
  );

  test('needs space for its padding and a sequence number', () => {
    const encryptIn = (room: Buffer) => runAtOnce(encryptHlsSegment({ room, clearBytes: 4 }, encrypt, 0));
    expect(() => encryptIn(Buffer.alloc(4))).toThrow('Expected room for 16 bytes, got 4.');
    expect(() => encryptCopy(Buffer.alloc(4), -1)).toThrow('Expected a media sequence number');
  });
});

test('has a playlist line with the key URI and no IV', () => {
  expect(writeKeyAttributes({ method: 'AES-128', uri: 'key/1?a=b' })).toBe('METHOD=AES-128,URI="key/1?a=b"');
  expect(() => writeKeyAttributes({ method: 'AES-128', uri: 'a"\n#EXT' })).toThrow('Expected a playlist attribute');
});
