import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';
import { discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';
import { call } from '../support/videos.ts';

let service: Service;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-repeated-'));
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=320x240:rate=25:duration=1', '-c:v', 'libx264'];
  await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...source, '-pix_fmt', 'yuv420p', at('clip.mp4')]);
  service = await startService(null);
});
afterAll(async () => {
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const at = (name: string) => join(folder, name);

function start(...args: string[]) {
  const program = join(projectRoot, 'src/cli/client/main.ts');
  const env = { ...process.env, HOME: folder };
  const words = [program, ...args, '--url', service.apiUrl, '--key', LIBRARY_KEY, '--library', '1'];
  return spawn(process.execPath, words, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function millrace(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = start(...args);
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}

const titles = async (search: string): Promise<string[]> => {
  const { items } = Object(await call(service, 'GET', `/library/1/videos?search=${search}`));
  return items.map((video: { title: string }) => video.title).sort();
};

test('after Ctrl-C, the next run finds the files that were sent', async () => {
  for (const name of ['ended-1', 'ended-2']) await copyFile(at('clip.mp4'), at(`${name}.mp4`));
  const first = start('upload', 'ended-1.mp4', 'ended-2.mp4');
  const [printed] = await once(first.stdout, 'data');
  first.kill('SIGINT');
  await once(first, 'close');
  const second = await millrace('upload', 'ended-1.mp4', 'ended-2.mp4', '--no-wait');
  expect(second).toMatchObject({ code: 0, err: expect.stringContaining('already sent ended-1.mp4') });
  expect(second.out.split('\n')[0]).toBe(String(printed).trim().split('\n')[0]);
  expect(await titles('ended-1')).toEqual(['ended-1']);
  // A complete run is not continued: the user wants another copy.
  expect((await millrace('upload', 'ended-1.mp4', '--no-wait')).out).not.toBe(printed);
  expect(await titles('ended-1')).toEqual(['ended-1', 'ended-1']);
});

test('--retry-failed sends a file of a folder to the video that failed', async () => {
  await mkdir(at('failing'));
  // The header of Matroska, and nothing that follows it.
  await writeFile(
    at('failing/damaged.mkv'),
    Buffer.concat([Buffer.from('1a45dfa301000000', 'hex'), Buffer.alloc(3000, 7)]),
  );
  expect((await millrace('upload', 'failing')).code).toBe(6);
  expect(await millrace('upload', 'failing')).toMatchObject({
    code: 0,
    err: expect.stringContaining('to the same videos'),
  });
  expect((await millrace('upload', 'failing', '--retry-failed')).code).toBe(6);
  expect(await titles('damaged')).toEqual(['damaged']);
});
