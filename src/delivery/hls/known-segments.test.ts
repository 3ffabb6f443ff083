import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Publication } from '../../catalog/publications/publication.ts';
import { newGuid } from '../../lib/guid.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { EdgeTarget } from '../edge-path.ts';
import type { Answer } from '../http/answer.ts';
import { KnownSegments } from './known-segments.ts';

type Target = Extract<EdgeTarget, { kind: 'media' }>;
type Request = Parameters<KnownSegments['find']>[0];

const renditionId = newGuid();
const answer: Answer = {
  kind: 'object',
  window: { key: '1/x/y/0-1.cmaf' as StorageKey, version: '', start: 0, sizeBytes: 10 },
  contentType: 'video/mp4',
  cacheControl: 'no-cache',
  etag: '"x"',
};

/** As much of one as is looked at. */
const makePublication = () => ({ renditions: [{ id: renditionId, isOnDemand: false }] }) as unknown as Publication;

function makeTarget(change: Partial<Target> = {}): Target {
  const file = { kind: 'segment', renditionId, segment: 0, cover: { kind: 'clear' } } as const;
  return { kind: 'media', pullZone: 'vz-1' as Target['pullZone'], token: null, mediaId: newGuid(), file, ...change };
}

const ask = (url: string, headers: Request['headers'] = { host: 'edge' }, method = 'GET') =>
  ({ method, url, headers }) as Request;

function keepOne(url = '/a', isCurrent = () => true): KnownSegments {
  const known = new KnownSegments({ isCurrent });
  known.keep(ask(url), makeTarget(), { publication, answer });
  return known;
}

const publication = makePublication();

test.each([
  { what: 'the same address', request: ask('/a'), isFound: true },
  { what: 'another host', request: ask('/a', { host: 'other' }), isFound: false },
  { what: 'another method', request: ask('/a', { host: 'edge' }, 'HEAD'), isFound: false },
  { what: 'a range', request: ask('/a', { host: 'edge', range: 'bytes=0-1' }), isFound: false },
  { what: 'a condition', request: ask('/a', { host: 'edge', 'if-none-match': '"x"' }), isFound: false },
])('a segment is known to a request for $what: $isFound', ({ request, isFound }) => {
  expect(keepOne().find(request) !== null).toBe(isFound);
});

test('it is known no longer than its publication is the current one', () => {
  expect(keepOne('/a', () => false).find(ask('/a'))).toBeNull();
});

test.each([
  { what: 'one with a query', url: '/a?token=1' },
  { what: 'a very long one', url: `/${'a'.repeat(1_000)}` },
])('of addresses $what is not kept', ({ url }) => {
  expect(keepOne(url).find(ask(url))).toBeNull();
});

test.each([
  { what: 'by a token', target: makeTarget({ token: 'bcdn_token=x' }) },
  {
    what: 'of a session',
    target: makeTarget({ file: { ...makeTarget().file, cover: { kind: 'session', session: 'x' } } as Target['file'] }),
  },
])('what was asked for $what is not kept', ({ target }) => {
  const known = new KnownSegments({ isCurrent: () => true });
  known.keep(ask('/a'), target, { publication, answer });
  expect(known.find(ask('/a'))).toBeNull();
});

test('a publication that is over is not held on to', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const known = new KnownSegments({ isCurrent: () => true });
  const keep = () => {
    const passing = makePublication();
    known.keep(ask('/a'), makeTarget(), { publication: passing, answer });
    return new WeakRef(passing);
  };
  const held = keep();
  // What a weak reference was asked for in one turn stays until its end.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(held.deref()).toBeUndefined();
  expect(known.find(ask('/a'))).toBeNull();
});
