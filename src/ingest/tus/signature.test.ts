import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSignedBy, readClaim } from './signature.ts';

const VIDEO = '11111111-2222-4333-8444-555555555555';
const signed = {
  libraryid: '7',
  videoid: VIDEO,
  authorizationexpire: '1700000000',
  authorizationsignature: '9460b5c6a6795c231a782d17ea10af28e4ba095aaf36da96b81cc21f70f10c52',
};

test('accepts the documented example signature only with its key', () => {
  const claim = readClaim(signed);
  expect(claim).toMatchObject({ libraryId: 7, videoId: VIDEO, expiresSec: 1_700_000_000 });
  expect(isSignedBy(claim, 'api-key')).toBe(true);
  expect(isSignedBy(claim, 'api-kez')).toBe(false);
});

test.each([
  ['libraryid', '8'],
  ['videoid', VIDEO.replace('1', '2')],
  ['authorizationexpire', '1700000001'],
  ['authorizationsignature', signed.authorizationsignature.replace('9', '8')],
])('rejects a signature after a change of %s', (name, value) => {
  expect(isSignedBy(readClaim({ ...signed, [name]: value }), 'api-key')).toBe(false);
});

test('accepts a signature in upper-case hex', () => {
  const authorizationsignature = signed.authorizationsignature.toUpperCase();
  expect(isSignedBy(readClaim({ ...signed, authorizationsignature }), 'api-key')).toBe(true);
});

test.each([
  ['as it is spelt', (id: string) => id],
  ['in lower case', (id: string) => id.toLowerCase()],
])('accepts a mixed-case video id signed %s', (_, spell) => {
  const videoid = 'ABCDEF01-2222-4333-8444-55555555abcd';
  const hash = createHash('sha256')
    .update(`7api-key1700000000${spell(videoid)}`)
    .digest('hex');
  const claim = readClaim({ ...signed, videoid, authorizationsignature: hash });
  expect(claim.videoId).toBe(videoid.toLowerCase());
  expect(isSignedBy(claim, 'api-key')).toBe(true);
});

test('accepts a video id without hyphens if it was signed without hyphens', () => {
  const videoid = 'abcdef0122224333844455555555abcd';
  const hash = createHash('sha256').update(`7api-key1700000000${videoid}`).digest('hex');
  const claim = readClaim({ ...signed, videoid, authorizationsignature: hash });
  expect(claim.videoId).toBe('abcdef01-2222-4333-8444-55555555abcd');
  expect(isSignedBy(claim, 'api-key')).toBe(true);
});

test.each([
  ['LibraryId', undefined],
  ['LibraryId', '7a'],
  ['VideoId', 'no-guid'],
  ['AuthorizationExpire', 'soon'],
  ['AuthorizationSignature', 'abc'],
])('names the header %s if it rejects its value %j', (name, value) => {
  const headers = { ...signed, [name.toLowerCase()]: value };
  expect(() => readClaim(headers)).toThrow(expect.objectContaining({ kind: 'unauthenticated' }));
  expect(() => readClaim(headers)).toThrow(name);
});

test('a signature for a session is valid only with the id of that session', () => {
  const sessionId = '0192f000-0000-7000-8000-000000000009';
  const text = `${signed.libraryid}api-key${signed.authorizationexpire}${signed.videoid}`;
  const sign = (ending: string) => createHash('sha256').update(`${text}${ending}`).digest('hex');
  const isValid = (signature: string, session?: string) =>
    isSignedBy(
      readClaim({
        ...signed,
        authorizationsignature: signature,
        ...(session !== undefined && { authorizationsession: session }),
      }),
      'api-key',
    );
  expect(isValid(sign(sessionId), sessionId)).toBe(true);
  expect(isValid(sign(sessionId))).toBe(false);
  expect(isValid(sign(''), sessionId)).toBe(false);
  expect(isValid(sign(sessionId), '0192f000-0000-7000-8000-00000000000a')).toBe(false);
  expect(() => isValid(sign(sessionId), 'no session')).toThrow('AuthorizationSession');
});
