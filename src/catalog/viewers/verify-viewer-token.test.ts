import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { newGuid } from '../../lib/guid.ts';
import { verifyViewerToken } from './verify-viewer-token.ts';

const ISSUER = { mode: 'jwt', issuer: 'https://issuer.example', audience: 'videos', jwksUrl: '' } as const;
const { publicKey, privateKey } = await generateKeyPair('ES256');
const [mediaId, collectionId, other] = [newGuid(), newGuid(), newGuid()];

/** Returns the verdict about a viewer of a video, whose token has these claims and is valid for `lengthSec`. */
async function judge(
  claims: JWTPayload,
  names: { videoClaim: string | null; collectionClaim: string | null },
  of: { collectionId?: typeof collectionId | null; lengthSec?: number } = {},
) {
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(ISSUER.issuer)
    .setAudience(ISSUER.audience)
    .setExpirationTime(new Date(Date.now() + (of.lengthSec ?? 60) * 1000))
    .sign(privateKey);
  const viewer = { libraryId: 1, mediaId, collectionId, token, address: '192.0.2.1', userAgent: '', referrer: null };
  const keys = createLocalJWKSet({ keys: [await exportJWK(publicKey)] });
  // The verification uses the keys of `RemoteKeys` as a function only.
  const findKeys = async () => keys as never;
  return verifyViewerToken({ ...ISSUER, ...names }, { ...viewer, ...of }, findKeys);
}

const both = { videoClaim: 'video', collectionClaim: 'collection' };
const none = { videoClaim: null, collectionClaim: null };
const plain = (id: string) => id.replaceAll('-', '').toUpperCase();

test.each([
  { title: 'its video', claims: { video: mediaId }, names: both, kind: 'allowed' },
  { title: 'its video without hyphens', claims: { video: plain(mediaId) }, names: both, kind: 'allowed' },
  { title: 'a list with its video', claims: { video: [other, mediaId] }, names: both, kind: 'allowed' },
  { title: 'another video', claims: { video: other }, names: both, kind: 'denied' },
  { title: 'its collection', claims: { collection: collectionId }, names: both, kind: 'allowed' },
  { title: 'a list with its collection', claims: { collection: [other, collectionId] }, names: both, kind: 'allowed' },
  { title: 'another collection', claims: { collection: other }, names: both, kind: 'denied' },
  { title: 'a collection as its video', claims: { video: collectionId }, names: both, kind: 'denied' },
  { title: 'no video and no collection', claims: {}, names: both, kind: 'denied' },
  { title: 'no video, of a library with tokens for all videos', claims: {}, names: none, kind: 'allowed' },
  {
    title: 'its collection, of a library with tokens for videos only',
    claims: { collection: collectionId },
    names: { videoClaim: 'video', collectionClaim: null },
    kind: 'denied',
  },
])('a token for $title is $kind', async ({ claims, names, kind }) => {
  expect(await judge(claims, names)).toMatchObject({ kind });
});

test('a token for a collection does not open a video that is in no collection', async () => {
  const found = await judge({ collection: collectionId }, both, { collectionId: null });
  expect(found).toMatchObject({ kind: 'denied', reason: 'a token for other videos' });
});

test('a verdict is valid as long as its token, but at most a day', async () => {
  for (const [lengthSec, validSec] of [
    [600, 630],
    [7 * 86_400, 86_400],
  ] as const) {
    const found = await judge({}, none, { lengthSec });
    if (found.kind !== 'allowed') throw new Error('Expected an admitted viewer.');
    expect(Math.abs(found.untilMs - Date.now() - validSec * 1000)).toBeLessThan(5_000);
  }
});
