import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packFolder, writeCompressed } from './pack-folder.ts';

test('bundle files are readable by every user and writable only by their owner', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-pack-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const target = path.join(folder, 'packed');
  await packFolder(target, async (draft) => {
    await writeCompressed(draft, 'code.js', Buffer.from('code'));
    return { file: 'code.js' };
  });
  expect(JSON.parse(await readFile(path.join(target, 'packed.json'), 'utf8'))).toEqual({ file: 'code.js' });
  expect((await stat(target)).mode & 0o777).toBe(0o755);
  expect((await stat(path.join(target, 'code.js'))).mode & 0o444).toBe(0o444);
});
