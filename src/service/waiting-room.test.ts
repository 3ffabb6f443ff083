import { expect, test } from 'vitest';
import type { Fleet } from './health.ts';
import { openWaitingRoom } from './waiting-room.ts';

test('reports the start on the main port and frees the port for the service', async () => {
  let fleet: Fleet | null = null;
  const room = await openWaitingRoom(0, '127.0.0.1', () => fleet);
  const ask = async (path: string) => await fetch(`http://127.0.0.1:${room.port}${path}`);
  const first = await ask('/healthz');
  expect([first.status, await first.json()]).toEqual([503, { status: 'starting' }]);
  const database = { state: 'starting', detail: 'the cluster is made' } as const;
  fleet = { version: '1.0.0', database, roles: {}, listeners: {}, sandbox: 'bubblewrap' };
  expect(await (await ask('/healthz')).json()).toMatchObject({ problems: ['database: the cluster is made'] });
  const other = await ask('/library/1/videos');
  expect([other.status, other.headers.get('retry-after')]).toEqual([503, '1']);
  await room.close();
  const next = await openWaitingRoom(room.port, '127.0.0.1', () => fleet);
  expect(next.port).toBe(room.port);
  await next.close();
});
