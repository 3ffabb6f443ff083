import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startFeedServer } from '../ingest/live/feed-server.ts';
import { Duty } from '../lib/duty.ts';
import type { Fleet } from './health.ts';
import { openHealthPort } from './health-port.ts';
import { openWaitingRoom } from './waiting-room.ts';

test('reports the start on the main port and frees the port for the service', async () => {
  let fleet: Fleet | null = null;
  const room = await openWaitingRoom({ port: 0, host: '127.0.0.1', tls: null }, () => fleet);
  const ask = async (path: string) => await fetch(`http://127.0.0.1:${room.port}${path}`);
  const first = await ask('/healthz');
  expect([first.status, await first.json()]).toEqual([503, { status: 'starting' }]);
  const database = { state: 'starting', detail: 'the cluster is made' } as const;
  fleet = { version: '1.0.0', database, roles: {}, listeners: {}, sandbox: 'bubblewrap' };
  expect(await (await ask('/healthz')).json()).toMatchObject({ problems: ['database: the cluster is made'] });
  const other = await ask('/library/1/videos');
  expect([other.status, other.headers.get('retry-after')]).toEqual([503, '1']);
  await room.close();
  const next = await openWaitingRoom({ port: room.port, host: '127.0.0.1', tls: null }, () => fleet);
  expect(next.port).toBe(room.port);
  await next.close();
});

const RUNNING = {
  storage: () => ({ kind: 'file', freeBytes: 1, totalBytes: 1 }) as const,
  notes: () => ({ store: null, secrets: null }),
  duty: new Duty(),
};
const FLEET: Fleet = {
  ...{ version: '1.0.0', database: { state: 'ok', detail: null }, roles: {}, listeners: { api: 7700 } },
  sandbox: 'bubblewrap',
};

test('health ports show version, disk and listeners only to local callers and trusted proxies', async () => {
  const at = { host: '127.0.0.1', port: 0 };
  const room = await openWaitingRoom({ port: 0, host: at.host, tls: null }, () => FLEET);
  const own = await openHealthPort(
    { ...at, trustedProxies: [], metricsAllow: [] },
    { role: 'api', fleet: FLEET, running: RUNNING },
  );
  const behind = await openHealthPort(
    { ...at, trustedProxies: ['127.0.0.1'], metricsAllow: [] },
    { role: 'api', fleet: FLEET, running: RUNNING },
  );
  const elsewhere = { 'X-Forwarded-For': '192.0.2.7' };
  for (const { port, close } of [room, own, behind]) {
    const read = async (headers = {}) => (await fetch(`http://127.0.0.1:${port}/healthz`, { headers })).json();
    expect(await read()).toMatchObject({ version: '1.0.0', listeners: { api: 7700 } });
    expect(Object.keys(Object(await read(elsewhere)))).toEqual(['status']);
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect(await ready.text()).not.toContain('1.0.0');
    await close();
  }
});

test.each(['api', 'edge'] as const)('tells a load balancer that an %s accepts no more work, and why', async (role) => {
  const duty = new Duty();
  const own = await openHealthPort(
    { host: '127.0.0.1', port: 0, trustedProxies: [], metricsAllow: [] },
    { role, fleet: { ...FLEET, roles: { [role]: { state: 'ok', detail: null } } }, running: { ...RUNNING, duty } },
  );
  const ready = () => fetch(`http://127.0.0.1:${own.port}/readyz`);
  expect((await ready()).status).toBe(200);
  for (const state of ['draining', 'incompatible'] as const) {
    duty.end({ state, reason: 'A reason.' });
    const response = await ready();
    expect([response.status, await response.json()]).toEqual([503, { status: state, reason: 'A reason.' }]);
    expect(duty.refusal).toBe(state === 'draining' ? null : 'A reason.');
  }
  expect(duty.end({ state: 'draining', reason: 'Too late.' })).toBe(false);
  expect((await fetch(`http://127.0.0.1:${own.port}/livez`)).status).toBe(200);
  await own.close();
});

test('the ports of the service itself reject two Host headers', async () => {
  const at = { host: '127.0.0.1', port: 0 };
  const servers = [
    await openWaitingRoom({ port: 0, host: at.host, tls: null }, () => null),
    await openHealthPort(
      { ...at, trustedProxies: [], metricsAllow: [] },
      { role: 'api', fleet: FLEET, running: RUNNING },
    ),
    await startFeedServer({ ...at, secrets: () => ['secret'] }, () => false),
  ];
  for (const { port, close } of servers) {
    const socket = connect(port, '127.0.0.1');
    socket.end('GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n');
    expect(await readText(socket)).toMatch(/^HTTP\/1\.1 400 /);
    await close();
  }
});
