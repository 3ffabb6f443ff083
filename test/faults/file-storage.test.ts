import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import { storageKey } from '../../src/ports/storage.ts';
import { MIB, names, never } from '../ports/samples.ts';

const run = promisify(execFile);
const CHILD = join(import.meta.dirname, 'storage-child.ts');
const isRoot = process.getuid?.() === 0;
const unshare = isRoot ? ['-m'] : ['-rm'];

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-file-faults-'));
});

afterEach(() => rm(folder, { recursive: true }));

const mountRefusal = await run('unshare', [...unshare, 'mount', '-t', 'tmpfs', 'none', tmpdir()]).then(
  () => null,
  (error: unknown) => String(error),
);

const isNotApplicable = mountRefusal !== null && !isRoot;
const note = isNotApplicable ? ' (NOT APPLICABLE: this user may not mount a small tmpfs)' : '';

/** Runs an action on `folder` with a file system mounted at `place` in it. The process's exit unmounts it. */
async function runMounted(action: string, place: string): Promise<Record<string, unknown>> {
  const script = 'mkdir -p "$1/$5" && mount -t tmpfs -o size=8m none "$1/$5" && exec "$2" "$3" "$4" "$1"';
  const args = ['sh', '-c', script, 'sh', folder, process.execPath, CHILD, action, place];
  const { stdout } = await run('unshare', [...unshare, ...args]);
  return JSON.parse(stdout);
}

describe('a folder on a full disk', () => {
  test.skipIf(isNotApplicable)(
    `a full disk rejects writes with disk-full and no leftovers, and staged uploads continue later${note}`,
    async () => {
      expect(mountRefusal).toBeNull();
      const reported = await runMounted('fill', '.');
      expect(reported).toMatchObject({ put: 'disk-full', listed: 0, append: 'disk-full', fits: 4 * MIB });
      expect(reported.freeAfterPut).toBeGreaterThan(7.9 * MIB);
      expect(reported.staged).toBeGreaterThan(7 * MIB);
    },
  );
});

test.skipIf(isNotApplicable)(`keeps an empty mount point below the folder${note}`, async () => {
  expect(mountRefusal).toBeNull();
  const reported = await runMounted('empty', 'library');
  expect(reported).toEqual({ deleted: 'done', deletedPrefix: 'done', put: 'Error: the sender disconnected' });
});

test('a failed write reports its cause, even if its folder cannot be cleaned up', async () => {
  const storage = await createFileStorage(folder);
  const place = join(folder, 'library');
  async function* failing() {
    yield Buffer.from('x');
    await rm(place, { recursive: true });
    await symlink('library', place);
    throw new Error('the sender disconnected');
  }
  const put = storage.put(storageKey('library/media/object'), Readable.from(failing()), {}, never);
  await expect(put).rejects.toThrow('the sender disconnected');
});

test('if two processes begin the same upload simultaneously, one may be refused and neither fails', async () => {
  const [one, two] = [await createFileStorage(folder), await createFileStorage(folder)];
  for (let round = 0; round < 20; round += 1) {
    const id = `upload-${round}`;
    const begun = [one, two].map(({ staging }) => staging.append(id, 0, Readable.from([Buffer.from('x')]), never));
    for (const end of await Promise.allSettled(begun)) {
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ name: 'Refused', kind: 'conflict' });
    }
    expect(await one.staging.size(id)).toBe(1);
  }
});

describe('a writer that is killed', () => {
  test('a killed writer leaves a temporary file that readers do not see and the sweep deletes', async () => {
    await killWhenGrown('put-forever', (names) => names.find((name) => name.includes('.tmp.')));
    const storage = await createFileStorage(folder);
    expect((await filesIn(folder)).map((name) => name.replace(/[0-9a-f]{16}$/, ''))).toEqual([
      'library/media/endless.tmp.',
    ]);
    expect(await storage.head(storageKey('library/media/endless'))).toBeNull();
    expect(await names(storage.list('', never))).toEqual([]);
    expect(await storage.sweepTemp(3_600_000, never)).toBe(0);
    expect(await storage.sweepTemp(0, never)).toBe(1);
    expect(await readdir(folder)).toEqual(['.staging']);
  });

  test('a killed writer leaves staged bytes to which a later append adds', async () => {
    await killWhenGrown('append-forever', (names) => names.find((name) => name.endsWith('/upload')));
    const storage = await createFileStorage(folder);
    const size = await storage.staging.size('upload');
    expect(size).toBeGreaterThan(2 * MIB);
    expect(await storage.staging.append('upload', size, Readable.from([Buffer.from('end')]), never)).toBe(size + 3);
    expect(await storage.staging.commit('upload', storageKey('a/b'), never)).toEqual({ sizeBytes: size + 3 });
    const bytes = await storage.readBytes(storageKey('a/b'), { start: 2 * MIB - 1, end: 2 * MIB }, never);
    // The child fills each mebibyte with its number.
    expect([...bytes]).toEqual([1, 2]);
  });

  async function killWhenGrown(action: string, pick: (names: string[]) => string | undefined): Promise<void> {
    const child = spawn(process.execPath, [CHILD, action, folder], { stdio: 'ignore' });
    try {
      await expect
        .poll(async () => await sizeOf(pick(await filesIn(folder))), { timeout: 20_000 })
        .toBeGreaterThan(3 * MIB);
    } finally {
      child.kill('SIGKILL');
      await new Promise((resolve) => (child.signalCode === null ? child.once('exit', resolve) : resolve(null)));
    }
  }

  async function sizeOf(name: string | undefined): Promise<number> {
    return name === undefined ? 0 : (await stat(join(folder, name))).size;
  }
});

test('a put and a commit succeed while concurrent deletes remove the empty folders around them', async () => {
  const storage = await createFileStorage(folder);
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let round = 0; round < 150; round += 1) {
      const [put, committed] = [storageKey(`1/video/put-${writer}`), storageKey(`1/video/staged-${writer}`)];
      await storage.put(put, Buffer.from('x'), {}, never);
      await storage.delete([put]);
      await storage.staging.append(`upload-${writer}`, 0, Readable.from([Buffer.from('x')]), never);
      await storage.staging.commit(`upload-${writer}`, committed, never);
      await storage.delete([committed]);
    }
  });
  await Promise.all(writers);
  expect(await filesIn(folder)).toEqual([]);
});

test('a put of 300 MiB uses little memory', async () => {
  const { stdout } = await run(process.execPath, [CHILD, 'put-large', folder]);
  const { sizeBytes, grownMib } = JSON.parse(stdout);
  expect(sizeBytes).toBe(300 * MIB);
  expect(grownMib).toBeLessThan(120);
});

async function filesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));
}
