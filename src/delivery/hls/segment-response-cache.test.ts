import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { EdgeTarget } from '../../catalog/shield/admission/edge-path.ts';
import { newGuid } from '../../lib/guid.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { Answer } from '../http/answer.ts';
import { type SegmentAddress, SegmentResponseCache } from './segment-response-cache.ts';

type Target = Extract<EdgeTarget, { kind: 'media' }>;
type Request = Parameters<SegmentResponseCache['findResponse']>[0];

const renditionId = newGuid();
const answer: Answer = {
  kind: 'object',
  window: { key: '1/x/y/0-1.cmaf' as StorageKey, version: '', start: 0, sizeBytes: 10 },
  contentType: 'video/mp4',
  cacheControl: 'no-cache',
  etag: '"x"',
};

/** The only part of a publication that the test reads. */
const makePublication = () => ({ renditions: [{ id: renditionId, isOnDemand: false }] }) as unknown as Publication;

function makeTarget(change: Partial<Target> = {}): Target {
  const file = { kind: 'segment', renditionId, segment: 0, protection: { kind: 'clear' } } as const;
  return { kind: 'media', mediaId: newGuid(), file, ...change };
}

const ask = (headers: Request['headers'] = {}, method = 'GET') => ({ method, headers }) as Request;

const at = (path: string, change: Partial<SegmentAddress> = {}): SegmentAddress => {
  return { zone: 'vz-1', path, isPrivate: false, ...change };
};

function keepOne(path = '/a', isCurrent = () => true): SegmentResponseCache {
  const known = new SegmentResponseCache({ isCurrent });
  known.keep(at(path), makeTarget(), { publication, answer });
  return known;
}

const publication = makePublication();

test.each([
  { what: 'the same URL', request: ask(), address: at('/a'), isFound: true },
  { what: 'a different zone', request: ask(), address: at('/a', { zone: 'vz-2' }), isFound: false },
  { what: 'a zone that now requires tokens', request: ask(), address: at('/a', { isPrivate: true }), isFound: false },
  { what: 'a different method', request: ask({}, 'HEAD'), address: at('/a'), isFound: false },
  { what: 'a range', request: ask({ range: 'bytes=0-1' }), address: at('/a'), isFound: false },
  { what: 'a condition', request: ask({ 'if-none-match': '"x"' }), address: at('/a'), isFound: false },
  { what: 'a different condition', request: ask({ 'if-match': '"x"' }), address: at('/a'), isFound: false },
])('finds a cached segment for a request with $what: $isFound', ({ request, address, isFound }) => {
  expect(keepOne().findResponse(request, address) !== null).toBe(isFound);
});

test('drops a response when its publication changes', () => {
  expect(keepOne('/a', () => false).findResponse(ask(), at('/a'))).toBeNull();
});

test('does not cache a path that is longer than the URLs in our playlists', () => {
  const path = `/${'a'.repeat(400)}`;
  expect(keepOne(path).findResponse(ask(), at(path))).toBeNull();
});

test('does not cache a segment of a play session', () => {
  const known = new SegmentResponseCache({ isCurrent: () => true });
  const file = { ...makeTarget().file, protection: { kind: 'session', session: 'x' } } as Target['file'];
  known.keep(at('/a'), makeTarget({ file }), { publication, answer });
  expect(known.findResponse(ask(), at('/a'))).toBeNull();
});

test('does not keep a publication in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const known = new SegmentResponseCache({ isCurrent: () => true });
  const keep = () => {
    const passing = makePublication();
    known.keep(at('/a'), makeTarget(), { publication: passing, answer });
    return new WeakRef(passing);
  };
  const held = keep();
  // A weak reference read in one turn of the event loop stays alive until that turn ends.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(held.deref()).toBeUndefined();
  expect(known.findResponse(ask(), at('/a'))).toBeNull();
});
