import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { newGuid } from '../../lib/guid.ts';
import { createPlaySessions } from './play-sessions.ts';

const secretOf = (byte: number) => createSecretKey(Buffer.alloc(32, byte));
const video = { libraryId: 1, mediaId: newGuid() };
const sessions = createPlaySessions(() => [secretOf(1)]);
const NOW_MS = Date.UTC(2026, 10, 22);
const HOUR_MS = 3_600_000;

test('derives one unique 16-byte key per session at every edge', () => {
  const [one, other] = [sessions.begin(video, 60, NOW_MS), sessions.begin(video, 60, NOW_MS)];
  expect(one).toMatch(/^[\w-]{43}$/);
  const key = sessions.keyOf(video, one, NOW_MS);
  expect(key?.length).toBe(16);
  expect(key?.equals(sessions.keyOf(video, other, NOW_MS) ?? Buffer.alloc(0))).toBe(false);
  expect(createPlaySessions(() => [secretOf(1)]).keyOf(video, one, NOW_MS)).toEqual(key);
});

test('a session is valid for the length of the video plus some hours', () => {
  const session = sessions.begin(video, 2 * 3600, NOW_MS);
  expect(sessions.keyOf(video, session, NOW_MS + 7.9 * HOUR_MS)).not.toBeNull();
  expect(sessions.keyOf(video, session, NOW_MS + 8.1 * HOUR_MS)).toBeNull();
});

test('a viewer keeps the same session for hours, and other viewers and videos have different sessions', () => {
  const keep = (viewer: string, nowMs = NOW_MS, of = video) => sessions.keep(of, viewer, { durationSec: 60, nowMs });
  const [begun] = [keep('one')];
  expect([keep('one', NOW_MS + HOUR_MS), keep('one', NOW_MS + 5 * HOUR_MS)]).toEqual([begun, begun]);
  expect(sessions.keyOf(video, begun, NOW_MS + 5 * HOUR_MS)?.length).toBe(16);
  expect(keep('one', NOW_MS + 24 * HOUR_MS)).not.toBe(begun);
  expect([keep('other'), keep('one', NOW_MS, { ...video, libraryId: 2 })]).not.toContain(begun);
  const elsewhere = createPlaySessions(() => [secretOf(1)]);
  expect(elsewhere.keep(video, 'one', { durationSec: 60, nowMs: NOW_MS })).toBe(begun);
});

test.each([
  ['for another video', (session: string) => ({ of: { ...video, mediaId: newGuid() }, session })],
  ['for another library', (session: string) => ({ of: { ...video, libraryId: 2 }, session })],
  ['with a later expiry', (session: string) => ({ of: video, session: `_${session.slice(1)}` })],
  ['that is truncated', (session: string) => ({ of: video, session: session.slice(0, -2) })],
  ['that is empty', () => ({ of: video, session: '' })],
])('returns no key for a session %s', (_, change) => {
  const { of, session } = change(sessions.begin(video, 60, NOW_MS));
  expect(sessions.keyOf(of, session, NOW_MS)).toBeNull();
});

test('returns no key for a session from an edge with a different secret', () => {
  const session = createPlaySessions(() => [secretOf(2)]).begin(video, 60, NOW_MS);
  expect(sessions.keyOf(video, session, NOW_MS)).toBeNull();
});

test('a session from before a rotation keeps its key while the old secret is accepted', () => {
  const session = createPlaySessions(() => [secretOf(1)]).begin(video, 60, NOW_MS);
  const key = sessions.keyOf(video, session, NOW_MS);
  const during = createPlaySessions(() => [secretOf(2), secretOf(1)]);
  const after = createPlaySessions(() => [secretOf(2)]);
  expect(during.keyOf(video, session, NOW_MS)).toEqual(key);
  expect(after.keyOf(video, during.begin(video, 60, NOW_MS), NOW_MS)).not.toBeNull();
  expect(after.keyOf(video, session, NOW_MS)).toBeNull();
});
