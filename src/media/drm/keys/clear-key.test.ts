import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseGuid } from '../../../lib/guid.ts';
import { Refused } from '../../../lib/refused.ts';
import { parseClearKeyRequest, writeClearKeyLicence } from './clear-key.ts';
import { newContentKeys } from './content-keys.ts';

const kid = parseGuid('67ef0fd8-d1ae-4f0d-a9e4-0d9b8f1c2d3e');
if (kid === null) throw new Error('Expected a GUID.');
const encoded = Buffer.from('67ef0fd8d1ae4f0da9e40d9b8f1c2d3e', 'hex').toString('base64url');
const key = { kid, key: Buffer.from('8aa1b2c3d4e5f60718293a4b5c6d7e8f', 'hex'), constantIv: Buffer.alloc(16) };

describe('a ClearKey licence', () => {
  test('contains only the requested keys', () => {
    const request = parseClearKeyRequest(JSON.stringify({ kids: [encoded], type: 'temporary' }));
    const others = Object.values(newContentKeys('cenc').groups);
    expect(JSON.parse(writeClearKeyLicence(request, [...others, key]))).toEqual({
      keys: [{ kty: 'oct', kid: encoded, k: 'iqGyw9Tl9gcYKTpLXG1-jw' }],
      type: 'temporary',
    });
  });

  test('is rejected if the video has none of the requested keys', () => {
    const request = { kids: [kid] };
    expect(() => writeClearKeyLicence(request, Object.values(newContentKeys('cenc').groups))).toThrow(
      new Refused('not-found', 'The video has none of the requested keys.'),
    );
  });

  test('is returned for a request without a type', () => {
    expect(parseClearKeyRequest(JSON.stringify({ kids: [encoded, encoded] })).kids).toEqual([kid, kid]);
  });
});

test.each([
  { what: 'no JSON', text: 'kids' },
  { what: 'not an object', text: '"kids"' },
  { what: 'null', text: 'null' },
  { what: 'no key ids', text: '{"kids":[]}' },
  { what: 'key ids that are not a list', text: `{"kids":"${encoded}"}` },
  { what: 'a number for a key id', text: '{"kids":[1]}' },
  { what: 'a short key id', text: '{"kids":["Z-8P2NGuTw0"]}' },
  { what: 'a padded key id', text: `{"kids":["${encoded}=="]}` },
  { what: 'a key id in plain base64', text: '{"kids":["++++++++++++++++++++++"]}' },
  { what: 'more key ids than a video has', text: JSON.stringify({ kids: Array(65).fill(encoded) }) },
  { what: 'a persistent licence', text: `{"kids":["${encoded}"],"type":"persistent-license"}` },
  { what: 'a very long text', text: ' '.repeat(8193) },
])('rejects a licence request with $what', ({ text }) => {
  expect(() => parseClearKeyRequest(text)).toThrow(Refused);
});

test('accepts or rejects any JSON without other errors', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      try {
        expect(parseClearKeyRequest(text).kids.length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(Refused);
      }
    }),
  );
});
