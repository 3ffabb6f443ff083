import { expect, test } from 'vitest';
import { makeZonePolicy } from '../../../../test/support/zone-policy.ts';
import { newGuid } from '../../../lib/guid.ts';
import { signEmbedToken } from '../../libraries/embed-token.ts';
import { readLibrarySettings } from '../../libraries/library-settings.ts';
import type { ZonePolicy } from '../../pull-zones/zone-policy.ts';
import type { Share } from '../../shares/share.ts';
import type { Visibility } from '../../visibility.ts';
import { RULES } from '../rules.ts';
import { compilePolicy } from './compiled-policy.ts';
import type { EdgeTarget, MediaFile } from './edge-path.ts';
import { HostRules } from './host-rules.ts';
import { judgePlayback, type PlaybackRequest } from './judge-playback.ts';

const NOW_MS = 1_900_000_000_000;
const [mediaId, shareId, collectionId] = [newGuid(), newGuid(), newGuid()];
const KEY = 'the security key';
const NO_TOKEN = { token: '', expiresSec: 0 };
const OWN_HOSTS = new HostRules(['own.example']);

const policyOf = (change: Partial<ZonePolicy>) => compilePolicy(makeZonePolicy(1, change));
const withRules = (access: object) => ({ referrers: readLibrarySettings({ access }).access });
const media = (file: MediaFile): EdgeTarget => ({ kind: 'media', mediaId, file });
const player = (change: object = {}): EdgeTarget => ({
  ...{ kind: 'player', libraryId: 1, mediaId, wantsState: false, isDirect: false },
  ...change,
});
const sign = (validity: { expiresSec: number; shareId?: typeof shareId }) => signEmbedToken(KEY, mediaId, validity);
const later = NOW_MS / 1000 + 60;

/** Judges a viewer of a page of `good.example`, in a library that only allows that page and requires a token. */
function judge(change: Partial<PlaybackRequest> = {}): { id: string; received: string } | null {
  const request: PlaybackRequest = {
    method: 'GET',
    target: player(),
    policy: policyOf({ embedTokenRequired: true, ...withRules({ allowedReferrers: ['good.example'] }) }),
    video: { mediaId, collectionId, visibility: 'public', usesSessions: true },
    viewer: { page: 'good.example', shown: NO_TOKEN },
    tokenShare: null,
    isOpenedByItself: false,
    nowMs: NOW_MS,
    ...change,
  };
  const hit = judgePlayback(request, OWN_HOSTS);
  return hit && { id: hit.rule.id, received: hit.received };
}

const bad = { viewer: { page: 'bad.example', shown: NO_TOKEN } };
const forToken = RULES.embedToken.id;
const forPage = RULES.referrer.id;
const renditionId = newGuid();

test.each<[string, Partial<PlaybackRequest>, boolean, boolean]>([
  ['a player page', {}, true, true],
  ['the head of a player page', { method: 'HEAD' }, true, true],
  ['a post to a player page', { method: 'POST' }, false, false],
  ['the page of a share', { target: { kind: 'share', token: 't', part: 'page' } }, true, false],
  ['the password of a share', { method: 'POST', target: { kind: 'share', token: 't', part: 'page' } }, true, false],
  [
    'a put to the page of a share',
    { method: 'PUT', target: { kind: 'share', token: 't', part: 'page' } },
    false,
    false,
  ],
  ['the player of a share', { target: { kind: 'share', token: 't', part: 'player' } }, true, false],
  ['a post to it', { method: 'POST', target: { kind: 'share', token: 't', part: 'player' } }, false, false],
  ['the comments of a share', { target: { kind: 'share', token: 't', part: 'comments' } }, true, false],
  ['a post to them', { method: 'POST', target: { kind: 'share', token: 't', part: 'comments' } }, true, false],
  ['the logo of a share', { target: { kind: 'share', token: 't', part: 'logo' } }, false, false],
  ['a licence', { method: 'POST', target: media({ kind: 'licence', system: 'widevine' }) }, true, true],
  ['a licence that is read', { target: media({ kind: 'licence', system: 'widevine' }) }, false, false],
  ['a key', { target: media({ kind: 'key', name: 'k'.repeat(36) }) }, true, true],
  ['the key of a session', { target: media({ kind: 'key', name: 'k'.repeat(43) }) }, true, false],
  ['a post to a key', { method: 'POST', target: media({ kind: 'key', name: 'k'.repeat(36) }) }, false, false],
  ['a playlist', { target: media({ kind: 'multivariant' }) }, true, true],
  ['a playlist of a rung', { target: media({ kind: 'rung-playlist', heightPx: 720 }) }, true, true],
  ['a post to a playlist', { method: 'POST', target: media({ kind: 'multivariant' }) }, false, false],
  [
    'a playlist of a rendition',
    { target: media({ kind: 'rendition-playlist', renditionId, session: null }) },
    true,
    true,
  ],
  [
    'a playlist of a session',
    { target: media({ kind: 'rendition-playlist', renditionId, session: 's' }) },
    false,
    false,
  ],
  ['a manifest', { target: media({ kind: 'manifest' }) }, false, false],
  ['a beacon', { target: { kind: 'beacon' } }, false, false],
])('checks for %s', (_what, request, checksPage, checksToken) => {
  expect(judge({ ...request, ...bad })).toEqual(checksPage ? { id: forPage, received: 'bad.example' } : null);
  expect(judge(request)).toEqual(checksToken ? { id: forToken, received: 'no token' } : null);
});

test.each<MediaFile>([
  { kind: 'multivariant' },
  { kind: 'rung-playlist', heightPx: 720 },
  { kind: 'rendition-playlist', renditionId, session: null },
])('playlists without keys or a video are not checked: $kind', (file) => {
  expect(
    judge({
      target: media(file),
      video: { mediaId, collectionId: null, visibility: 'public', usesSessions: false },
      ...bad,
    }),
  ).toBeNull();
  expect(judge({ target: media(file), video: null, ...bad })).toBeNull();
});

test.each<[Visibility, { id: string; received: string } | null]>([
  ['private', { id: forToken, received: 'no token' }],
  ['unlisted', null],
  ['public', null],
])('in a library without tokens, a %s video requires one only if it is private', (visibility, expected) => {
  const video = { mediaId, collectionId, visibility, usesSessions: false };
  expect(judge({ policy: policyOf({}), video })).toEqual(expected);
});

test.each<[Visibility, boolean]>([
  ['public', true],
  ['unlisted', false],
  ['private', false],
])('the token of a shared collection opens a %s video of it: %s', (visibility, isAccepted) => {
  const ofCollection = { ...share, target: { kind: 'collection', collectionId } } as const;
  const viewer = { page: 'good.example', shown: sign({ expiresSec: later, shareId }) };
  const video = { mediaId, collectionId, visibility, usesSessions: false };
  const ended = { id: forToken, received: 'one that has ended' };
  expect(judge({ viewer, video, tokenShare: ofCollection })).toEqual(isAccepted ? null : ended);
  expect(judge({ viewer, video, tokenShare: share })).toBeNull();
});

test('nothing is refused for an unknown path, library or video', () => {
  expect([judge({ target: null, ...bad }), judge({ policy: null, ...bad }), judge({ video: null, ...bad })]).toEqual([
    null,
    null,
    null,
  ]);
});

test.each([
  ['a valid token', sign({ expiresSec: later }), null],
  ['an expired token', sign({ expiresSec: NOW_MS / 1000 }), 'a token that expired at 2030-03-17T17:46:40.000Z'],
  ['a token without expires', { ...sign({ expiresSec: later }), expiresSec: 0 }, 'a token without expires'],
  [
    'a token with a later end',
    { ...sign({ expiresSec: later }), expiresSec: later + 1 },
    'a token that was not made with this key, video and expires',
  ],
])('accepts a player page with a token only if it is valid: %s', (_what, shown, received) => {
  const viewer = { page: 'good.example', shown };
  expect(judge({ viewer })).toEqual(received === null ? null : { id: forToken, received });
});

test('without required tokens, any token is accepted', () => {
  const shown = { ...sign({ expiresSec: 1, shareId }) };
  expect(judge({ policy: policyOf({}), viewer: { page: null, shown } })).toBeNull();
});

const share: Share = {
  id: shareId,
  libraryId: 1,
  target: { kind: 'video', mediaId },
  passwordHash: null,
  emailDomains: [],
  allowsDownload: false,
  allowsComments: false,
  expiresAt: null,
};
test.each<[string, Share | null, boolean]>([
  ['that exists', share, true],
  ['that ends later', { ...share, expiresAt: new Date(NOW_MS + 1) }, true],
  ['that ends now', { ...share, expiresAt: new Date(NOW_MS) }, false],
  ['that was deleted', null, false],
  ['of another video', { ...share, target: { kind: 'video', mediaId: newGuid() } }, false],
  ['of the collection of the video', { ...share, target: { kind: 'collection', collectionId } }, true],
  ['of another collection', { ...share, target: { kind: 'collection', collectionId: newGuid() } }, false],
  ['of another library', { ...share, libraryId: 2 }, false],
])('a token of a share page %s', (_what, tokenShare, isAccepted) => {
  const viewer = { page: 'good.example', shown: sign({ expiresSec: later, shareId }) };
  const ended = { id: forToken, received: 'one that has ended' };
  expect(judge({ viewer, tokenShare })).toEqual(isAccepted ? null : ended);
});

test.each<[string, Partial<PlaybackRequest>, boolean]>([
  ['a page for direct play', { target: player({ isDirect: true }) }, true],
  ['a page that a browser opens by itself', { isOpenedByItself: true }, true],
  ['a page in a frame', {}, false],
  ['the state of a player', { target: player({ wantsState: true, isDirect: true }), isOpenedByItself: true }, false],
  ['the page of a share', { target: { kind: 'share', token: 't', part: 'page' }, isOpenedByItself: true }, false],
])('without direct play, refuses only pages opened directly: %s', (_what, request, isRefused) => {
  const viewer = { page: null, shown: NO_TOKEN };
  const refused = { id: RULES.directPlay.id, received: 'none' };
  const policy = (allowDirectPlay: boolean) => policyOf(withRules({ allowDirectPlay }));
  expect(judge({ ...request, viewer, policy: policy(false) })).toEqual(isRefused ? refused : null);
  expect(judge({ ...request, viewer, policy: policy(true) })).toBeNull();
});

test('a request without a page is named as such, and own hosts are allowed', () => {
  const policy = policyOf(withRules({ allowedReferrers: ['good.example'], blockNoneReferrer: true }));
  const pageOf = (page: string | null) => judge({ policy, viewer: { page, shown: NO_TOKEN } });
  expect(pageOf(null)).toEqual({ id: forPage, received: 'none' });
  expect([pageOf('own.example'), pageOf('good.example')]).toEqual([null, null]);
});
