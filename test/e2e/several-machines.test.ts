import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type S3Stub, startS3Stub } from '../ports/s3-stub.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { freezeDatabase } from '../support/freeze-database.ts';
import { freePort } from '../support/service.ts';

const root = path.resolve(import.meta.dirname, '../..');
const LIMIT = { timeout: 180_000 };
/** Timeout that only a hang exceeds, even on a busy machine. */
const PATIENCE = { timeout: 90_000, interval: 200 };

type Machine = {
  child: ChildProcess;
  health: string;
  dataDir: string;
  output(): string;
  ended: Promise<number | null>;
};

let page: string;
let database: TestDatabase;
let stub: S3Stub;
let folder: string;
let settings: Record<string, string>;
const machines: Machine[] = [];

beforeAll(async () => {
  [page, database, stub, folder] = await Promise.all([
    readFile(path.join(root, 'docs/several-machines.md'), 'utf8'),
    startTestDatabase(),
    startS3Stub(),
    mkdtemp(path.join(tmpdir(), 'mr-machines-')),
  ]);
  settings = await readPageSettings();
}, 120_000);
afterAll(async () => {
  for (const { child } of machines) child.kill('SIGKILL');
  await Promise.all(machines.map(({ ended }) => ended));
  await Promise.all([stub.stop(), database.stop()]);
  await rm(folder, { recursive: true, force: true });
});

/** Returns the page's code blocks in a language. */
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);

/** Returns the settings on the page, each with its value in this test. */
async function readPageSettings(): Promise<Record<string, string>> {
  const here: Record<string, string> = {
    MILLRACE_DATABASE_URL: `postgres:///postgres?host=${encodeURIComponent(`${database.config.host}`)}&user=millrace`,
    MILLRACE_STORAGE: stub.url.replace(/&prefix=.*/, ''),
    MILLRACE_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
    MILLRACE_PUBLIC_URL: 'https://video.example',
    MILLRACE_EDGE_URL: 'https://media.example',
    MILLRACE_HOST: '127.0.0.1',
    MILLRACE_HEALTH_PORT: '0',
  };
  const names = blocks('env')
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('=')[0] ?? '');
  expect(new Set(names)).toEqual(new Set(Object.keys(here)));
  return here;
}

/** Runs one line of the page as a separate machine. */
async function runOn(line: string, change: Record<string, string> = {}): Promise<Machine> {
  const [program, ...args] = line.split(' ');
  expect(program).toBe('millrace');
  const dataDir = await mkdtemp(path.join(folder, 'data-'));
  const port = await freePort();
  const ports = { MILLRACE_PORT: '0', MILLRACE_EDGE_PORT: '0', MILLRACE_HEALTH_PORT: String(port) };
  const aws = { AWS_ACCESS_KEY_ID: 'stub', AWS_SECRET_ACCESS_KEY: 'stub' };
  const child = spawn(process.execPath, [path.join(root, 'bin/millrace.js'), ...args], {
    env: { ...process.env, ...settings, ...aws, ...ports, MILLRACE_DATA_DIR: dataDir, ...change },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => chunks.push(String(data)));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const machine = { child, health: `http://127.0.0.1:${port}`, dataDir, output: () => chunks.join(''), ended };
  machines.push(machine);
  return machine;
}

const statusOf = async (url: string) => (await fetch(url).catch(() => null))?.status ?? 0;

test('the commands on the page start several machines, each of which reports its health', LIMIT, async () => {
  const lines = blocks('sh').join('').split('\n');
  const doctor = await runOn(lines.find((line) => line.endsWith('doctor')) ?? '');
  expect([await doctor.ended, doctor.output()]).toEqual([
    0,
    expect.stringMatching(/connections are open.*read and deleted/s),
  ]);
  const serves = lines.filter((line) => line.startsWith('millrace serve'));
  expect(serves.map((line) => line.split(' ').at(-1))).toEqual(['api', 'edge', 'worker']);
  const started: Machine[] = [];
  for (const line of serves) {
    const machine = await runOn(line);
    started.push(machine);
    await expect.poll(() => statusOf(`${machine.health}/readyz`), PATIENCE).toBe(200);
    expect(machine.output()).toContain('https://media.example');
    expect(await (await fetch(`${machine.health}/healthz`)).json()).toMatchObject({
      status: 'ok',
      roles: { [line.split(' ').at(-1) ?? '']: 'ok' },
      storage: { kind: 's3' },
    });
  }
  const shown = await readFile(path.join(started[0]?.dataDir ?? '', 'first-start.txt'), 'utf8');
  expect(shown).toMatch(/API URL +https:\/\/video\.example\n/);
  // The database is silent. Only the edge can still serve, and every role names the reason.
  const resume = freezeDatabase(database);
  for (const [index, role] of ['api', 'edge', 'worker'].entries()) {
    const { health } = started[index] ?? { health: '' };
    await expect.poll(() => statusOf(`${health}/healthz`), PATIENCE).toBe(503);
    expect(await (await fetch(`${health}/healthz`)).json()).toMatchObject({
      problems: expect.arrayContaining([`${role}: database: no response within 2500 ms`]),
    });
    expect([role, await statusOf(`${health}/readyz`)]).toEqual([role, role === 'edge' ? 200 : 503]);
    expect(await statusOf(`${health}/livez`)).toBe(200);
  }
  resume();
  for (const { health } of started) await expect.poll(() => statusOf(`${health}/healthz`), PATIENCE).toBe(200);
  // The store fails. The report names the store and not the database.
  const [first] = started;
  stub.setAway(true);
  await expect.poll(() => statusOf(`${first?.health}/healthz`), PATIENCE).toBe(503);
  // Balancers keep sending requests to a role that can respond to them.
  expect(await statusOf(`${first?.health}/readyz`)).toBe(200);
  expect(await statusOf(`${first?.health}/livez`)).toBe(200);
  const body = await (await fetch(`${first?.health}/healthz`)).json();
  expect(body).toMatchObject({
    problems: expect.arrayContaining([expect.stringMatching(/^storage: s3:\/\/bucket\//)]),
  });
  stub.setAway(false);
  for (const { child } of started) child.kill('SIGTERM');
  expect(await Promise.all(started.map(({ ended }) => ended))).toEqual([0, 0, 0]);
});

test('a setting that contradicts the page stops startup with one sentence that names the setting', LIMIT, async () => {
  const other = Buffer.alloc(32, 6).toString('base64');
  const wrongKey = await runOn('millrace serve --role worker', { MILLRACE_SECRET_KEY: other });
  expect([await wrongKey.ended, wrongKey.output()]).toEqual([
    1,
    expect.stringMatching(/serve: MILLRACE_SECRET_KEY: .*\n$/),
  ]);
  stub.fail('Get', { status: 403, code: 'InvalidAccessKeyId' });
  const denied = await runOn('millrace serve --role worker');
  expect([await denied.ended, denied.output()]).toEqual([1, expect.stringContaining('serve: AWS_ACCESS_KEY_ID, ')]);
  for (const operation of ['Get', 'List']) stub.fail(operation, { status: 404, code: 'NoSuchBucket' });
  const missing = await runOn('millrace serve --role worker');
  const sentence = 'serve: MILLRACE_STORAGE: the bucket does not exist';
  expect([await missing.ended, missing.output()]).toEqual([1, expect.stringContaining(sentence)]);
  const { pool } = database;
  await pool.query('alter role millrace set default_transaction_read_only = on');
  await pool.query(`delete from kysely_migration`);
  const stuck = await runOn('millrace serve --role worker');
  expect([await stuck.ended, stuck.output()]).toEqual([1, expect.stringContaining('serve: MILLRACE_DATABASE_URL: ')]);
});
