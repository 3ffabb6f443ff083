import { expect, test } from 'vitest';
import { describeHealth, type Fleet } from './health.ts';

const well: Fleet = {
  version: '1.2.3',
  database: { state: 'ok', detail: null },
  roles: { api: { state: 'ok', detail: null }, edge: { state: 'ok', detail: null } },
  listeners: { api: 7700, edge: 7701 },
  sandbox: 'bubblewrap',
};
const storage = { kind: 'file', freeBytes: 10, totalBytes: 100 } as const;
const floor = (totalBytes: number) => totalBytes / 20;

test('a healthy service returns 200 with its ports and without problems', () => {
  expect(describeHealth(well, storage, floor)).toEqual({
    status: 200,
    body: {
      status: 'ok',
      version: '1.2.3',
      listeners: { api: 7700, edge: 7701 },
      roles: { api: 'ok', edge: 'ok' },
      storage,
      sandbox: 'bubblewrap',
    },
  });
});

test.each([
  { part: 'a starting role', fleet: { roles: { api: { state: 'starting', detail: null } } }, says: 'starting' },
  { part: 'a starting database', fleet: { database: { state: 'starting', detail: 'recovers' } }, says: 'starting' },
  { part: 'a failing role', fleet: { roles: { edge: { state: 'failing', detail: 'ended' } } }, says: 'failing' },
] satisfies { part: string; fleet: Partial<Fleet>; says: string }[])(
  '$part returns 503 with status $says',
  ({ fleet, says }) => {
    expect(describeHealth({ ...well, ...fleet }, storage, floor)).toMatchObject({
      status: 503,
      body: { status: says },
    });
  },
);

test('one failing part outweighs starting parts, and each is listed with its reason', () => {
  const roles: Fleet['roles'] = {
    api: { state: 'starting', detail: null },
    edge: { state: 'failing', detail: 'no port' },
  };
  const { body } = describeHealth({ ...well, roles }, null, floor);
  expect(body).toMatchObject({ status: 'failing', problems: ['api: starting', 'edge: no port'] });
  expect(body).not.toHaveProperty('storage');
});

test.each([
  { freeBytes: 5, totalBytes: 100, status: 200 },
  { freeBytes: 4, totalBytes: 100, status: 503 },
  { freeBytes: 0, totalBytes: 100, status: 503 },
])('$freeBytes of $totalBytes bytes free with a minimum of 5 returns $status', ({ status, ...space }) => {
  expect(describeHealth(well, { kind: 'file', ...space }, floor).status).toBe(status);
});

test.each([
  { sandbox: 'none', says: /^sandbox: Expected a sandbox for encoders, but MILLRACE_SANDBOX is none/ },
  { sandbox: 'unavailable', says: /^sandbox: Expected a sandbox for encoders, but none works: nothing is encoded/ },
] as const)('reports the sandbox level $sandbox as a problem and stays healthy', ({ sandbox, says }) => {
  const { status, body } = describeHealth({ ...well, sandbox }, storage, floor);
  expect([status, body.problems]).toEqual([200, [expect.stringMatching(says)]]);
});

test('a nearly full store is failing and reports its free space and the consequence', () => {
  const { body } = describeHealth(well, { kind: 'file', freeBytes: 4, totalBytes: 100 }, floor);
  expect(body).toMatchObject({
    status: 'failing',
    problems: ['storage: nearly full: 4 of 100 bytes are free, uploads are refused below 5'],
  });
});

test('an unbounded store is never full', () => {
  expect(describeHealth(well, { kind: 's3' }, floor).status).toBe(200);
});

test('reports a store that belongs to another database and stays healthy', () => {
  expect(describeHealth(well, storage, floor, { store: 'not ours', secrets: null })).toMatchObject({
    status: 200,
    body: { status: 'ok', problems: ['store: not ours'] },
  });
});
