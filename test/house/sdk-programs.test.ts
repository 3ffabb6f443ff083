import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';
import { Millrace } from '../../sdk/src/millrace.ts';
import { openBrowser } from '../support/browser.ts';
import { discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';

const run = promisify(execFile);
/** Timeout that only a hang exceeds, even on a busy machine. */
const HANG_MS = 300_000;
let service: Service;
let folder = '';
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-programs-'));
  service = await startService(null);
  env = { ...process.env, MILLRACE_URL: service.apiUrl, LIBRARY_KEY, PORT: '0' };
  const archive = await packWithoutDevelopmentPackages(join(folder, 'clone'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await run('npm', ['install', '--offline', '--no-audit', archive], { cwd: folder });
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=320x240:rate=25:duration=2', '-c:v', 'libx264'];
  await run('ffmpeg', ['-nostdin', '-v', 'error', ...source, '-pix_fmt', 'yuv420p', join(folder, 'clip.mp4')]);
  for (const [name, code] of programsOf(await packed('README.md'))) await writeFile(join(folder, name), code);
}, HANG_MS);
afterAll(async () => {
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

/** Packs the SDK in a copy of the repository that has only the packages that `npm start` installs. */
async function packWithoutDevelopmentPackages(clone: string): Promise<string> {
  await cp(join(projectRoot, 'sdk'), join(clone, 'sdk'), { recursive: true });
  await rm(join(clone, 'sdk/dist'), { recursive: true, force: true });
  const { packages } = JSON.parse(await readFile(join(projectRoot, 'package-lock.json'), 'utf8'));
  for (const [path, { dev }] of Object.entries<{ dev?: boolean }>(packages)) {
    if (dev === true || !/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path)) continue;
    await mkdir(dirname(join(clone, path)), { recursive: true });
    await symlink(join(projectRoot, path), join(clone, path));
  }
  const options = ['--ignore-scripts=false', '--foreground-scripts=false', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', ['pack', ...options], { cwd: join(clone, 'sdk') });
  const [{ filename }]: [{ filename: string }] = JSON.parse(stdout);
  return join(folder, filename);
}

/** Returns the code blocks of a page that begin with a file name, by that name. */
function programsOf(markdown: string): Map<string, string> {
  const blocks = markdown.matchAll(/```js\n(\/\/ ([a-z-]+\.js): .*?)```/gs);
  return new Map([...blocks].map(([, code = '', name = '']) => [name, code]));
}

function packed(name: string): Promise<string> {
  return readFile(join(folder, 'node_modules/millrace-sdk', name), 'utf8');
}

test('the package contains the programs of the documentation', async () => {
  const programs = programsOf(await packed('README.md'));
  expect([...programs.keys()]).toEqual(['upload.js', 'browser-upload.js']);
  expect(programsOf(await readFile(join(projectRoot, 'docs/sdk.md'), 'utf8'))).toEqual(programs);
});

test('the Node program uploads a file until it plays', async () => {
  const { stdout } = await run(process.execPath, ['upload.js', 'clip.mp4'], { cwd: folder, env });
  const [videoId = '', playlist = ''] = stdout.trim().split('\n').at(-1)?.split(' ') ?? [];
  expect(stdout).toContain('100 %');
  expect(playlist).toContain(videoId);
  expect(await (await fetch(playlist)).text()).toContain('#EXT-X-STREAM-INF');
  expect((await readdir(folder)).filter((name) => name.endsWith('.upload.json'))).toEqual([]);
});

test('the browser program resumes an upload after its page was closed', async () => {
  const program = spawn(process.execPath, ['browser-upload.js'], { cwd: folder, env });
  onTestFinished(() => void program.kill());
  const [url] = await once(createInterface(program.stdout), 'line');
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const context = await browser.newContext();
  context.setDefaultTimeout(HANG_MS);
  const first = await context.newPage();
  await first.goto(String(url));
  await first.route('**/tusupload/*', (route) => route.abort());
  await first.getByLabel('Video').setInputFiles(join(folder, 'clip.mp4'));
  await first.getByText('Retrying').waitFor();
  await first.close();
  const page = await context.newPage();
  await page.goto(String(url));
  await page.getByLabel('Video').setInputFiles(join(folder, 'clip.mp4'));
  await page.getByText('Uploaded').waitFor();
  const videoId = (await page.locator('output').textContent())?.split(' ').at(-1) ?? '';
  const millrace = new Millrace({ url: service.apiUrl, key: LIBRARY_KEY });
  const { items } = await millrace.call('listVideos', { libraryId: 1, search: 'clip.mp4' });
  // One of the Node program, one of this one.
  expect(items?.map(({ guid }) => guid)).toContain(videoId);
  expect(items).toHaveLength(2);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
});
