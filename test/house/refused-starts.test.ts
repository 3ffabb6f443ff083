import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { closeServer, listen } from '../../src/lib/listen.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { copyStarted } from '../support/service.ts';
import { canBecomeNobody, NOBODY } from './host-programs.ts';
import { type Service, type ServiceOptions, startService } from './service.ts';

function start(options: ServiceOptions): Service {
  const service = startService(options);
  endWithTest(service.child);
  return service;
}

function newFolder(): string {
  // mkdtemp creates it with mode 0700.
  const folder = mkdtempSync(join(tmpdir(), 'millrace-refused-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Occupies a TCP port until the end of the test. */
async function occupyTcp(): Promise<number> {
  const server = createServer();
  onTestFinished(() => closeServer(server, 0));
  return await listen(server, 0, '127.0.0.1');
}

/** Occupies a UDP port until the end of the test. */
async function occupyUdp(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  onTestFinished(() => void socket.close());
  await once(socket, 'listening');
  return socket.address().port;
}

const inUse = (name: string, port: number) =>
  `${name}: expected a free port, but another program uses ${port}. Stop it, or set a different port.`;

test('ports in use stop a later startup with a reason that names the settings, and leave nothing running', async () => {
  const [tcp, udp] = await Promise.all([occupyTcp(), occupyUdp()]);
  const settings = { MILLRACE_EDGE_PORT: String(tcp), MILLRACE_SRT_PORT: String(udp) };
  const dataDir = await copyStarted();
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const service = start({ dataDir, settings });
  expect(await service.exitCode()).toBe(1);
  const [line = ''] = service.output().match(/^millrace serve: .*$/m) ?? [];
  expect(line).toContain(`edge: ${inUse('MILLRACE_EDGE_PORT', tcp)}`);
  expect(line).toContain(`ingest: ${inUse('MILLRACE_SRT_PORT', udp)}`);
});

test('ports in use stop the first startup with a line for each, before anything is created', async () => {
  const names = ['PORT', 'EDGE_PORT', 'RTMP_PORT', 'WHIP_PORT', 'METRICS_PORT', 'SRT_PORT', 'WHIP_UDP_PORT'];
  const wanted = await Promise.all(
    names.map(async (name) => {
      const port = await (/SRT|UDP/.test(name) ? occupyUdp() : occupyTcp());
      return [`MILLRACE_${name}`, port] as const;
    }),
  );
  const dataDir = join(newFolder(), 'data');
  const service = start({ dataDir, settings: Object.fromEntries(wanted.map(([name, port]) => [name, String(port)])) });
  expect(await service.exitCode()).toBe(1);
  const lines = service.output().trim().replace('millrace serve: ', '').split('\n');
  expect(lines).toEqual(wanted.map(([name, port]) => inUse(name, port)));
  expect(existsSync(dataDir)).toBe(false);
});

test('one port for two settings stops startup with one line, before anything is created', async () => {
  const dataDir = join(newFolder(), 'data');
  const service = start({ dataDir, settings: { MILLRACE_PORT: '27700', MILLRACE_WHIP_PORT: '27700' } });
  expect(await service.exitCode()).toBe(1);
  const line = 'MILLRACE_WHIP_PORT: expected a port of its own, got 27700, which is also MILLRACE_PORT.';
  expect(service.output()).toBe(`millrace serve: ${line}\n`);
  expect(existsSync(dataDir)).toBe(false);
});

test('a misspelt setting stops the first startup with the correct name, and only warns later', async () => {
  const settings = { MILLRACE_PROT: '7710', MILLRACE_SANDBOX_OF_LATER: 'auto' };
  const folder = join(newFolder(), 'data');
  const first = start({ dataDir: folder, settings });
  expect(await first.exitCode()).toBe(1);
  const line = 'MILLRACE_PROT: expected the name of a setting. Did you mean MILLRACE_PORT?';
  expect(first.output()).toBe(`millrace serve: ${line}\n`);
  expect(existsSync(folder)).toBe(false);
  const dataDir = await copyStarted();
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const later = start({ dataDir, settings });
  await later.listeners();
  expect(later.output()).toMatch(/setting.unknown.*MILLRACE_PROT is not a setting of this version, and is ignored/);
});

test('a missing or damaged key of a database stops startup, and no other key is created', async () => {
  const dataDir = newFolder();
  mkdirSync(join(dataDir, 'postgres'));
  const refusal = async () => {
    const service = start({ dataDir });
    expect(await service.exitCode()).toBe(1);
    expect((await readdir(dataDir)).filter((name) => !['lock', 'postgres', 'secret.key'].includes(name))).toEqual([]);
    return service.output().match(/^millrace.*$/gm);
  };
  expect(await refusal()).toEqual([expect.stringContaining(`the key of the database in ${dataDir}/secret.key`)]);
  expect(existsSync(join(dataDir, 'secret.key'))).toBe(false);
  writeFileSync(join(dataDir, 'secret.key'), 'short');
  expect(await refusal()).toEqual([expect.stringContaining('Expected a key of 32 bytes in')]);
});

test('a processor without a packaged PostgreSQL stops startup before anything is created', async () => {
  const dataDir = join(newFolder(), 'data');
  const preload = join(newFolder(), 'processor.mjs');
  writeFileSync(preload, "Object.defineProperty(process, 'arch', { value: 'riscv64' });");
  const service = start({ dataDir, settings: { NODE_OPTIONS: `--import=${preload}` } });
  expect(await service.exitCode()).toBe(1);
  expect(service.output()).toMatch(/Expected linux-x64 or linux-arm64 for the packaged PostgreSQL, got linux-riscv64/);
  expect(existsSync(dataDir)).toBe(false);
});

test.each([
  {
    settings: { MILLRACE_ACCOUNT_KEY_FILE: '/nowhere/key' },
    line: /^millrace serve: MILLRACE_ACCOUNT_KEY_FILE: .*ENOENT/,
  },
  { settings: { MILLRACE_DATA_VOLUME: 'required' }, line: /^millrace serve: MILLRACE_DATA_DIR: expected a volume at / },
  {
    settings: { MILLRACE_STORAGE: 'file:/dev/null/objects' },
    line: /^millrace serve: MILLRACE_STORAGE: expected a folder that user \d+ can write, got .*objects \(ENOTDIR\)/,
  },
  // Reading it would never end.
  {
    settings: { MILLRACE_SECRET_KEY_FILE: '/dev/zero' },
    line: /^millrace serve: MILLRACE_SECRET_KEY_FILE: .*got "\/dev\/zero", which is not a regular file\.$/,
  },
])('$settings stops startup with one line, before anything is created', async ({ settings, line }) => {
  const dataDir = '/no-such-volume/data';
  const service = start({ dataDir, settings });
  expect(await service.exitCode()).toBe(1);
  expect(service.output().trim().split('\n')).toEqual([expect.stringMatching(line)]);
  expect(existsSync('/no-such-volume')).toBe(false);
});

/** Mounts the folder in $0 read-only for the program that follows, as a container may do with a volume. */
const READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
const userNamespace = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const withReadOnly = ['unshare', '--mount', ...userNamespace, 'sh', '-c', READ_ONLY];

test('a data folder that is read-only or of another user stops startup with one line', async () => {
  const dataDir = newFolder();
  const commands = [
    {
      command: [...withReadOnly, dataDir, process.execPath],
      reason: /a read-only file system\)\. Mount .* writable\.$/,
    },
    ...(canBecomeNobody
      ? [{ command: [...NOBODY.command, process.execPath], reason: / of user 0 \(E.*\)\. Run as root: .*chown / }]
      : []),
  ];
  for (const { command, reason } of commands) {
    const service = start({ dataDir, command });
    expect(await service.exitCode()).toBe(1);
    // The other user cannot write the cache of the project, which is another message.
    const refusals = service.output().match(/^millrace serve: .*$/gm);
    expect(refusals).toEqual([expect.stringMatching(/MILLRACE_DATA_DIR: expected a folder that user \d+ can write, /)]);
    expect(refusals?.[0]).toMatch(reason);
    expect(await readdir(dataDir)).toEqual([]);
  }
});

test.runIf(canBecomeNobody)('files of another user in the data folder stop startup with one line', async () => {
  const dataDir = newFolder();
  writeFileSync(join(dataDir, 'lock'), '', { mode: 0o600 });
  chownSync(dataDir, NOBODY.id, NOBODY.id);
  const service = start({ dataDir, command: [...NOBODY.command, process.execPath] });
  expect(await service.exitCode()).toBe(1);
  const refusal = `MILLRACE_DATA_DIR: expected files that user ${NOBODY.id} can write, got ${dataDir}/lock of user 0`;
  expect(service.output().match(/^millrace serve: .*$/gm)).toEqual([
    `millrace serve: ${refusal} (EACCES). Run as root: chown -R ${NOBODY.id} "${dataDir}"`,
  ]);
});

const firstFreePort = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));

test.runIf(canBecomeNobody && firstFreePort > 1023)('a port that needs root stops startup with one line', async () => {
  const dataDir = join(newFolder(), 'data');
  const command = [...NOBODY.command, process.execPath];
  const service = start({ dataDir, command, settings: { MILLRACE_EDGE_PORT: '1023' } });
  expect(await service.exitCode()).toBe(1);
  expect(service.output().match(/^millrace serve: .*$/gm)).toEqual([
    expect.stringContaining(`MILLRACE_EDGE_PORT: expected a port that user ${NOBODY.id} may open, got 1023. Ports`),
  ]);
});

test('a database that cannot be created stops startup with one line that contains the reason', async () => {
  const command = ['sh', '-c', 'ulimit -n 60; exec "$@"', 'sh', process.execPath];
  const service = start({ dataDir: newFolder(), command });
  expect(await service.exitCode()).toBe(1);
  expect(service.output().match(/^millrace.*|^.*(?:FATAL|initdb:).*/gm)).toEqual([
    expect.stringMatching(/^millrace: initdb could not create \S+: insufficient file descriptors available to start/),
  ]);
});

test('wrong settings stop startup, and each is reported', async () => {
  const dataDir = newFolder();
  const service = start({ dataDir, settings: { MILLRACE_RTMP_PORT: 'many', MILLRACE_STORAGE: 'ftp://x' } });
  expect(await service.exitCode()).toBe(1);
  expect(service.output()).toContain('MILLRACE_RTMP_PORT: expected a port');
  expect(service.output()).toContain('MILLRACE_STORAGE: expected file:');
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
});

test('a listen address of another machine stops startup, and the setting is reported', async () => {
  const dataDir = join(newFolder(), 'data');
  const service = start({ dataDir, settings: { MILLRACE_HOST: '192.0.2.1' } });
  expect(await service.exitCode()).toBe(1);
  expect(service.output()).toContain('MILLRACE_HOST: expected an address of this machine');
  expect(existsSync(dataDir)).toBe(false);
});
