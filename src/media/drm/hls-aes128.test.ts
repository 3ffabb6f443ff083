import { createDecipheriv, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { encryptedHlsSizeBytes, encryptHlsSegment, writeHlsAes128Line } from './hls-aes128.ts';

const key = randomBytes(16);

describe('a segment encrypted whole', () => {
  test.each([0, 1, 15, 16, 17, 1000])('of %i bytes is decrypted with its sequence number as IV', (sizeBytes) => {
    const segment = randomBytes(sizeBytes);
    const encrypted = encryptHlsSegment(segment, key, 0x1_0000_0002);
    const decipher = createDecipheriv('aes-128-cbc', key, Buffer.from('00000000000000000000000100000002', 'hex'));
    expect(Buffer.concat([decipher.update(encrypted), decipher.final()])).toEqual(segment);
    expect(encrypted).toHaveLength(encryptedHlsSizeBytes(sizeBytes));
  });

  test('needs a key of 16 bytes and a sequence number', () => {
    expect(() => encryptHlsSegment(Buffer.alloc(4), randomBytes(32), 0)).toThrow('Expected an AES-128 key');
    expect(() => encryptHlsSegment(Buffer.alloc(4), key, -1)).toThrow('Expected a media sequence number');
  });
});

test('its playlist line names the key and leaves the IV to the sequence number', () => {
  expect(writeHlsAes128Line('key/1?a=b')).toBe('#EXT-X-KEY:METHOD=AES-128,URI="key/1?a=b"');
  expect(() => writeHlsAes128Line('a"\n#EXT')).toThrow('Expected a playlist attribute');
});
