import { expect, test } from 'vitest';
import { describeHealth, type Fleet } from './health.ts';

const well: Fleet = {
  version: '1.2.3',
  database: { state: 'ok', detail: null },
  roles: { api: { state: 'ok', detail: null }, edge: { state: 'ok', detail: null } },
  listeners: { api: 7700, edge: 7701 },
  sandbox: 'bubblewrap',
};
const storage = { kind: 'file', freeBytes: 1, totalBytes: 2 } as const;

test('all well is 200 with the real ports and nothing to complain of', () => {
  expect(describeHealth(well, storage)).toEqual({
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
] satisfies { part: string; fleet: Partial<Fleet>; says: string }[])('$part is 503 and $says', ({ fleet, says }) => {
  expect(describeHealth({ ...well, ...fleet }, storage)).toMatchObject({ status: 503, body: { status: says } });
});

test('one failing part outweighs those that start, and each is named with its reason', () => {
  const roles: Fleet['roles'] = {
    api: { state: 'starting', detail: null },
    edge: { state: 'failing', detail: 'no port' },
  };
  const { body } = describeHealth({ ...well, roles }, null);
  expect(body).toMatchObject({ status: 'failing', problems: ['api: starting', 'edge: no port'] });
  expect(body).not.toHaveProperty('storage');
});
