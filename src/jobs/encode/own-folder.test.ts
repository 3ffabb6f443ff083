import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeOwnFolder } from './own-folder.ts';

let parent: string;
let reported: string[];
const report = ({ message, cause }: Error) => reported.push(`${message} ${cause}`);

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'millrace-own-folder-'));
  reported = [];
});

afterEach(() => rm(parent, { recursive: true }));

const SCRIPT = `
  const { takeOwnFolder } = await import(process.argv[1]);
  console.log(await takeOwnFolder(process.argv[2], console.error));
  process.stdin.resume();
`;

/** Starts another process that owns a folder until it is killed. It also exits with this process. */
async function startOwner() {
  const module = join(import.meta.dirname, 'own-folder.ts');
  const args = ['--input-type=module', '--eval', SCRIPT, module, parent];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const folder = String(line).trim();
  await writeFile(join(folder, 'original'), 'bytes');
  return {
    folder,
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function namesIn(): Promise<string[]> {
  const names = await readdir(parent, { recursive: true });
  return names.filter((name) => !name.endsWith('.lock')).sort();
}

test('removes the files of killed processes at startup, but not those of running processes', async () => {
  const [dead, alive] = [await startOwner(), await startOwner()];
  try {
    await dead.kill();
    // Earlier versions named folders by process id.
    await mkdir(join(parent, 'worker-4711'));
    const own = await takeOwnFolder(parent, report);
    expect(own).toBe(dead.folder);
    expect(await namesIn()).toEqual(['worker-1', 'worker-2', 'worker-2/original']);
  } finally {
    await alive.kill();
  }
  const second = await takeOwnFolder(parent, report);
  expect(second).toBe(alive.folder);
  expect(await namesIn()).toEqual(['worker-1', 'worker-2']);
});

test('starting fewer workers removes the folders that are no longer used', async () => {
  const owners = [await startOwner(), await startOwner(), await startOwner()];
  for (const owner of owners) await owner.kill();
  await takeOwnFolder(parent, report);
  expect(await namesIn()).toEqual(['worker-1']);
});

/** Runs an action as another user, because root may access everything. */
async function asNobody<T>(action: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return action();
  await chmod(parent, 0o777);
  process.seteuid?.(65534);
  try {
    return await action();
  } finally {
    process.seteuid?.(0);
  }
}

test('reports folders of dead workers that it cannot remove and takes the next free one', async () => {
  for (const name of ['worker-1', 'worker-2']) {
    await mkdir(join(parent, name));
    await writeFile(join(parent, name, 'original'), 'bytes');
  }
  await writeFile(join(parent, 'worker-1.lock'), '');
  await chmod(join(parent, 'worker-1.lock'), 0o000);
  await chmod(join(parent, 'worker-2'), 0o500);
  expect(await asNobody(() => takeOwnFolder(parent, report))).toBe(join(parent, 'worker-3'));
  expect(await namesIn()).toEqual(['worker-1', 'worker-1/original', 'worker-2', 'worker-2/original', 'worker-3']);
  expect(reported.toSorted()).toEqual([
    expect.stringMatching(/worker-1\. Remove the folder by hand\. Error: EACCES/),
    expect.stringMatching(/worker-2\. Remove the folder by hand\. Error: EACCES/),
  ]);
  await chmod(join(parent, 'worker-2'), 0o700);
});

test('throws an error with the cause if no folder is usable', async () => {
  await chmod(parent, 0o500);
  const taken = process.geteuid?.() === 0 ? asStranger() : takeOwnFolder(parent, report);
  await expect(taken).rejects.toMatchObject({ cause: { code: 'EACCES' } });
  await chmod(parent, 0o700);
});

async function asStranger(): Promise<string> {
  process.seteuid?.(65534);
  try {
    return await takeOwnFolder(parent, report);
  } finally {
    process.seteuid?.(0);
  }
}
