import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PROGRAMS = ['ceph', 'ceph-authtool', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin', 'setpriv'];
const START_LIMIT_MS = 90_000;

export type Gateway = { endpoint: string; accessKeyId: string; secretAccessKey: string; stop: () => Promise<void> };

/** Returns the Ceph programs that are not on the path. */
export function missingPrograms(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return PROGRAMS.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
}

/**
 * Starts Ceph's S3 gateway with one monitor and one object daemon that keeps a single copy of everything in memory, on
 * loopback, in a temporary folder. `stop` ends the three processes by their handles.
 */
export async function startRadosgw(): Promise<Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-radosgw-'));
  const daemons: ChildProcess[] = [];
  const stop = async () => {
    for (const daemon of daemons.reverse()) await end(daemon);
    await rm(folder, { recursive: true });
  };
  try {
    const ports = { monitor: await freePort(), gateway: await freePort() };
    const fsid = randomUUID();
    const config = join(folder, 'ceph.conf');
    await writeFile(config, configuration(folder, fsid, ports.monitor));
    await startMonitor({ folder, config, fsid, port: ports.monitor }, daemons);
    await startObjectDaemon({ folder, config }, daemons);
    return { ...(await startGateway({ config, port: ports.gateway }, daemons)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function configuration(folder: string, fsid: string, monitorPort: number): string {
  return `[global]
fsid = ${fsid}
mon host = [v2:127.0.0.1:${monitorPort}/0]
public addr = 127.0.0.1
keyring = ${folder}/keyring
run dir = ${folder}
admin socket = ${folder}/$name.asok
log file = ${folder}/$name.log
crash dir = ${folder}
mon data = ${folder}/mon
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 2147483648
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data avail crit = 1
rgw frontends = beast endpoint=127.0.0.1:0
rgw data = ${folder}
`;
}

type Cluster = { folder: string; config: string };

async function startMonitor(
  { folder, config, fsid, port }: Cluster & { fsid: string; port: number },
  daemons: ChildProcess[],
) {
  const map = join(folder, 'monmap');
  await run('monmaptool', ['--create', '--fsid', fsid, '--addv', 'a', `[v2:127.0.0.1:${port}/0]`, map]);
  await mkdir(join(folder, 'mon'));
  const keyring = join(folder, 'keyring');
  const all = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *'];
  await run('ceph-authtool', ['--create-keyring', keyring, '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *']);
  await run('ceph-authtool', [keyring, '--gen-key', '-n', 'client.admin', ...all]);
  await run('ceph-mon', ['-c', config, '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring]);
  daemons.push(daemon('ceph-mon', ['-c', config, '-f', '-i', 'a']));
  await run('ceph', ['-c', config, '--connect-timeout', '30', 'mon', 'stat']);
}

async function startObjectDaemon({ folder, config }: Cluster, daemons: ChildProcess[]) {
  const uuid = randomUUID();
  await run('ceph', ['-c', config, 'osd', 'new', uuid]);
  await mkdir(join(folder, 'osd'));
  const keyring = join(folder, 'osd', 'keyring');
  const rights = ['mon', 'allow profile osd', 'osd', 'allow *'];
  await run('ceph', ['-c', config, 'auth', 'get-or-create', 'osd.0', ...rights, '-o', keyring]);
  const which = ['-c', config, '-i', '0', '--keyring', keyring];
  await run('ceph-osd', [...which, '--mkfs', '--osd-uuid', uuid]);
  daemons.push(daemon('ceph-osd', [...which, '-f']));
}

async function startGateway({ config, port }: { config: string; port: number }, daemons: ChildProcess[]) {
  const keys = { accessKeyId: 'millracetest', secretAccessKey: randomUUID() };
  const user = [
    '--uid',
    'test',
    '--display-name',
    'test',
    '--access-key',
    keys.accessKeyId,
    '--secret-key',
    keys.secretAccessKey,
  ];
  await run('radosgw-admin', ['-c', config, '-n', 'client.admin', 'user', 'create', ...user], {
    timeout: START_LIMIT_MS,
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const frontend = ['--rgw-frontends', `beast endpoint=127.0.0.1:${port}`];
  const gateway = daemon('radosgw', ['-c', config, '-f', '-n', 'client.admin', ...frontend]);
  daemons.push(gateway);
  for (const deadlineMs = Date.now() + START_LIMIT_MS; ; await sleep(200)) {
    if (await answers(endpoint)) return { endpoint, ...keys };
    if (gateway.exitCode !== null || Date.now() > deadlineMs) {
      throw new Error(`Expected radosgw to respond at ${endpoint}, its exit code is ${gateway.exitCode}.`);
    }
  }
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    return (await fetch(endpoint)).ok;
  } catch {
    // The gateway does not listen yet, so the caller retries until its deadline.
    return false;
  }
}

function daemon(program: string, args: string[]): ChildProcess {
  // The kernel kills the daemon when this process dies without having called `stop`.
  return spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], { stdio: 'ignore' });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('Expected a port.');
  return address.port;
}
