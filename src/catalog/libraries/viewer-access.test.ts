import { expect, test } from 'vitest';
import { newGuid } from '../../lib/guid.ts';
import { createOutbound } from '../../lib/outbound/outbound.ts';
import { ViewerAuthorizer } from '../viewers/viewer-authorizer.ts';
import { readLibrarySettings } from './library-settings.ts';
import { readViewerAccess } from './viewer-access.ts';

const HOOK = { mode: 'hook', url: 'https://example.com/', failOpen: true };
const JWT = { mode: 'jwt', issuer: 'https://example.com', audience: 'a', jwksUrl: 'https://example.com/keys' };

test.each([
  ['a hook without a secret', HOOK, null, 'the secret'],
  ['a hook with an empty secret', HOOK, '', 'the secret'],
  ['a hook without a URL', { ...HOOK, url: null }, 's', 'the URL'],
  [
    'an issuer without an audience',
    { ...JWT, audience: null },
    null,
    'the issuer, the audience or the URL of the keys',
  ],
  ['keys without an issuer', { ...JWT, issuer: null }, null, 'the issuer, the audience or the URL of the keys'],
])('%s admits nobody, even if the library fails open', async (_, viewers, secret, missing) => {
  const access = readViewerAccess(readLibrarySettings({ viewers }), secret);
  expect(access).toEqual({ mode: 'incomplete', missing });
  if (access.mode !== 'incomplete') return;
  const sender = { token: 't', address: '192.0.2.1', userAgent: '', referrer: null };
  const viewer = { libraryId: 1, mediaId: newGuid(), collectionId: null, ...sender };
  const verdict = await new ViewerAuthorizer({ outbound: createOutbound({ allow: [] }) }).judge(access, viewer);
  expect(verdict).toEqual({ kind: 'unchecked', reason: `the settings of viewer access lack ${missing}` });
});

test('complete settings are read as they are', () => {
  expect(readViewerAccess(readLibrarySettings({ viewers: HOOK }), 's')).toMatchObject({ ...HOOK, secret: 's' });
  expect(readViewerAccess(readLibrarySettings({ viewers: JWT }), null)).toMatchObject(JWT);
});
