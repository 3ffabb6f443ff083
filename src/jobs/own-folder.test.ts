import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeOwnFolder } from './own-folder.ts';

let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'millrace-own-folder-'));
});

afterEach(() => rm(parent, { recursive: true }));

const SCRIPT = `
  const { takeOwnFolder } = await import(process.argv[1]);
  console.log(await takeOwnFolder(process.argv[2]));
  process.stdin.resume();
`;

/** Another process that has a folder until it is killed; it ends with this one as well. */
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

test('what a process leaves that was killed goes at the next start, what a living one has stays', async () => {
  const [dead, alive] = [await startOwner(), await startOwner()];
  try {
    await dead.kill();
    // As versions that named them by a process's number left them.
    await mkdir(join(parent, 'worker-4711'));
    const own = await takeOwnFolder(parent);
    expect(own).toBe(dead.folder);
    expect(await namesIn()).toEqual(['worker-1', 'worker-2', 'worker-2/original']);
  } finally {
    await alive.kill();
  }
  const second = await takeOwnFolder(parent);
  expect(second).toBe(alive.folder);
  expect(await namesIn()).toEqual(['worker-1', 'worker-2']);
});

test('fewer processes than before leave no folder of the others', async () => {
  const owners = [await startOwner(), await startOwner(), await startOwner()];
  for (const owner of owners) await owner.kill();
  await takeOwnFolder(parent);
  expect(await namesIn()).toEqual(['worker-1']);
});
