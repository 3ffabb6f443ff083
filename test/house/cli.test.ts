import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';
import { openTerminal } from '../support/open-terminal.ts';
import { ACCOUNT_KEY, discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';

const run = promisify(execFile);
const LAUNCHER = join(projectRoot, 'bin/millrace.js');
let service: Service;
let folder = '';
let clip = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
  clip = join(folder, 'media', 'clip.mp4');
  await mkdir(join(folder, 'media'));
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=320x240:rate=25:duration=1', '-c:v', 'libx264'];
  await run('ffmpeg', ['-nostdin', '-v', 'error', ...source, '-pix_fmt', 'yuv420p', clip]);
  await writeFile(join(folder, 'hello.vtt'), 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n');
  service = await startService(null);
});
afterAll(async () => {
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

/** Runs the program piped, with neither PostgreSQL nor ffmpeg on its path. */
async function millrace(
  args: readonly string[],
  input = '',
  home = folder,
): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: '/nowhere', HOME: home, MILLRACE_DATA_DIR: folder };
  const child = spawn(process.execPath, [LAUNCHER, ...args], { env, cwd: folder });
  child.stdin.end(input);
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}

/** Runs a command that must succeed. Returns its output. */
async function done(...args: string[]): Promise<string> {
  const { code, out, err } = await millrace(args);
  expect({ args, code, err }).toEqual({ args, code: 0, err: '' });
  return out.trim();
}

test('makes a profile readable only by its owner, and does not save a wrong key', async () => {
  const wrong = await millrace(['login', '--url', service.apiUrl], 'no-key\n');
  expect(wrong).toMatchObject({ code: 3, out: '', err: expect.stringContaining('401') });
  const stored = (name: string) =>
    `It is stored as profile ${name} in ${join(folder, '.config/millrace/profiles.json')}.`;
  expect(await millrace(['login', '--url', service.apiUrl], `${ACCOUNT_KEY}\n`)).toEqual({
    code: 0,
    out: `${service.apiUrl}: this key can manage the account and all its libraries. ${stored('default')}\n`,
    err: '',
  });
  const second = ['login', '--profile', 'second', '--url', service.apiUrl];
  expect(await millrace(second, `${LIBRARY_KEY}\n`)).toEqual({
    code: 0,
    out: `${service.apiUrl}: this key can read and change library 1. ${stored('second')}\n`,
    err: '',
  });
  expect((await stat(join(folder, '.config/millrace/profiles.json'))).mode & 0o777).toBe(0o600);
});

test('login states that a key can only read, and logout removes the key of one service', async () => {
  const home = await mkdtemp(join(tmpdir(), 'millrace-logout-'));
  onTestFinished(async () => await rm(home, { recursive: true, force: true }));
  const { ReadOnlyApiKey } = JSON.parse(await done('libraries', 'get', '1', '--json'));
  const save = (name: string, key: string) =>
    millrace(['login', '--profile', name, '--url', service.apiUrl], `${key}\n`, home);
  expect((await save('default', ReadOnlyApiKey)).out).toContain('this key can read library 1, but not change it.');
  await save('second', LIBRARY_KEY);
  const leave = (...args: string[]) => millrace(['logout', ...args], '', home);
  const profiles = async () =>
    Object.keys(JSON.parse(await readFile(join(home, '.config/millrace/profiles.json'), 'utf8')));
  const refuse = async (said: string, ...args: string[]) =>
    expect(await leave(...args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(said) });
  await refuse('expected --profile with one of default, second', '--url', service.apiUrl);
  await refuse('no key is stored for http://127.0.0.1:1', '--url', 'http://127.0.0.1:1');
  await refuse(`profile second has a key for ${service.apiUrl}`, '--profile', 'second', '--url', 'http://127.0.0.1:1');
  const other = await millrace(['ls', '--url', 'http://127.0.0.1:1'], '', home);
  expect(other.err).toContain(`the stored key is for ${service.apiUrl}, not for http://127.0.0.1:1.`);
  expect((await leave()).out).toContain(`${service.apiUrl}: its key was removed`);
  expect(await profiles()).toEqual(['second']);
  await refuse('Stored profiles: second.');
  expect((await leave('--url', `${service.apiUrl}/`)).code).toBe(0);
  await refuse('No key is stored.', '--profile', 'second');
  await writeFile(join(home, '.config/millrace/profiles.json'), '{"default":');
  await refuse('expected a JSON object in ');
});

test('uploads, shows, changes, signs, exports and deletes a video', async () => {
  const video = await done('upload', clip);
  expect(video).toMatch(/^[0-9a-f-]{36}$/);
  expect(await done('get', video)).toContain('title\tclip\n');
  await done('edit', video, 'title=New title');
  expect(await done('get', video)).toContain('title\tNew title\n');
  expect(JSON.parse(await done('get', video, '--json'))).toMatchObject({ guid: video, title: 'New title' });
  const collection = JSON.parse(await done('collections', 'create', 'name=Shelf', '--json')).guid;
  await done('mv', video, collection);
  expect(await done('ls', `collection=${collection}`)).toMatch(new RegExp(`^${video}\tNew title\t[a-z-]+$`));
  await done('captions', 'add', video, 'en', 'hello.vtt', 'label=English');
  expect(JSON.parse(await done('get', video, '--json')).captions).toMatchObject([{ srclang: 'en', label: 'English' }]);
  await done('captions', 'add', video, 'de', 'hello.vtt');
  expect(await done('get', video, '--json')).toContain('"label":"German"');
  expect(await done('token', video)).toMatch(new RegExp(`/play/1/${video}\\?token=[0-9a-f]{64}&expires=\\d+$`));
  const exported = (await done('export')).split('\n').map((line) => JSON.parse(line));
  expect(exported.map(({ kind }) => kind)).toEqual(['collection', 'video']);
  await done('rm', video, 'trash=true');
  expect(await done('trash', 'ls')).toContain(video);
  expect((await millrace(['get', video])).code).toBe(4);
});

test('waits for all renditions with --wait finished', async () => {
  const video = await done('upload', clip, '--wait', 'finished');
  expect(JSON.parse(await done('get', video, '--json'))).toMatchObject({ status: 4, encodeProgress: 100 });
  const wrong = await millrace(['upload', clip, '--wait', 'forever']);
  expect(wrong).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(/--wait playable or --wait finished.* forever/),
  });
});

test('uploads a folder as a collection, with a visibility', async () => {
  const video = await done('upload', 'media', '--no-wait', '--visibility', 'private');
  const collection = (await done('collections', 'ls', 'search=media')).split('\t')[0];
  expect(await done('ls', `collection=${collection}`)).toContain(video);
  expect(JSON.parse(await done('get', video, '--json')).visibility).toBe('private');
});

test('a second upload of a folder sends only files that its collection does not have', async () => {
  await mkdir(join(folder, 'twice'));
  await copyFile(clip, join(folder, 'twice', 'one.mp4'));
  // macOS writes the attributes of a file next to it.
  await writeFile(join(folder, 'twice', '._one.mp4'), 'attributes');
  const one = await done('upload', 'twice', '--no-wait');
  await writeFile(join(folder, 'twice', 'two.mp4'), Buffer.concat([await readFile(clip), Buffer.alloc(8)]));
  const { out, err } = await millrace(['upload', 'twice', '--no-wait']);
  expect(out.trim().split('\n')).toEqual([one, expect.not.stringMatching(one)]);
  expect(err).toContain('1 of 2 files are in their collection already');
  expect((await done('upload', 'twice', '--no-wait', '--duplicates')).split('\n')).not.toContain(one);
});

test('a file that is refused does not stop the upload of a folder', async () => {
  await mkdir(join(folder, 'mixed'));
  await writeFile(join(folder, 'mixed', 'broken.mp4'), 'This is not a video.');
  await writeFile(join(folder, 'mixed', 'empty.mp4'), '');
  await copyFile(clip, join(folder, 'mixed', 'good.mp4'));
  const { code, out, err } = await millrace(['upload', 'mixed']);
  expect(err).toMatch(/broken\.mp4: .*\n.*empty\.mp4 is skipped: .*empty.*\n(?:.*\n)?.*1 of 3 files failed/);
  expect([code, out.trim().split('\n').length]).toEqual([6, 1]);
  expect(JSON.parse(await done('get', out.trim(), '--json'))).toMatchObject({ title: 'good' });
});

test('the lifetime of a signed URL is a number of seconds', async () => {
  for (const lifetime of ['abc', '-5', '0', '1e99', '99999999999999999']) {
    const { code, out } = await millrace(['token', '00000000-0000-0000-0000-000000000000', `--expires=${lifetime}`]);
    expect([lifetime, code, out]).toEqual([lifetime, 2, '']);
  }
});

test('a rejected upload reports the reason and creates no video', async () => {
  await writeFile(join(folder, 'empty.mp4'), '');
  await mkdir(join(folder, 'bare'));
  const count = async () => JSON.parse(await done('api', 'GET', '/library/1/videos', '--json')).totalItems;
  const before = await count();
  const refused = [
    { args: ['empty.mp4'], code: 2, reason: /file that is not empty.* empty\.mp4/ },
    { args: ['bare'], code: 2, reason: /folder with media.* bare/ },
    // Fails before anything is sent, although the first file exists.
    { args: [clip, 'no-such.mp4'], code: 2, reason: /no-such\.mp4: ENOENT/ },
    { args: [clip, '--key', 'wrong-key'], code: 3, reason: /401.*\n(.*\n)?The key was taken from --key\.\n$/ },
    { args: [clip, '--key', 'any', '--url', 'http://127.0.0.1:9'], code: 5, reason: /127\.0\.0\.1:9/ },
  ];
  for (const { args, code, reason } of refused) {
    expect(await millrace(['upload', ...args])).toEqual({ code, out: '', err: expect.stringMatching(reason) });
  }
  expect(await count()).toBe(before);
});

test('a failed command exits with the code of its kind of error', async () => {
  const url = ['--url', service.apiUrl];
  expect(await millrace(['upload', 'no-such.mp4', ...url])).toMatchObject({
    code: 2,
    err: expect.stringContaining('ENOENT'),
  });
  expect(await millrace(['get', ...url])).toMatchObject({ code: 2 });
  expect(await millrace(['get', 'x', '--kee', 'y'])).toMatchObject({ code: 2 });
  expect(await millrace(['edit', 'x', 'title:={'])).toMatchObject({ code: 2 });
  for (const words of ['libraries ls', 'quotas set storageBytes=null', 'import folder .']) {
    expect(await millrace([...words.split(' '), ...url, '--key', LIBRARY_KEY])).toMatchObject({
      code: 3,
      err: expect.stringContaining('This command needs the account key. The key was taken from --key.'),
    });
  }
  const notNeeded = await millrace(['ls', ...url, '--key', 'wrong-key']);
  expect([notNeeded.code, notNeeded.err.includes('account key')]).toEqual([3, false]);
  expect(await millrace(['ls', '--key', 'any', '--url', 'http://127.0.0.1:9'])).toMatchObject({ code: 5 });
  // Another home folder has no profile.
  const withoutKey = await millrace(['upload', clip, ...url], '', await mkdtemp(join(folder, 'home-')));
  expect(withoutKey).toEqual({
    code: 3,
    out: '',
    err: expect.stringContaining('No key was sent. Pass one with --key'),
  });
});

test('mistyped names and values change nothing, and the message suggests the right name', async () => {
  const video = JSON.parse(await done('create', 'title=Typed', '--json')).guid;
  const typos: [code: number, said: string, ...args: string[]][] = [
    [1, 'did you mean "title"', 'edit', video, 'titel=Other'],
    [1, 'did you mean "Name"', 'libraries', 'edit', '1', 'Nam=Other'],
    [1, 'did you mean "title"', 'live', 'create', 'titel=Other'],
    [2, 'Did you mean --title?', 'upload', clip, 'title=Other'],
    [2, 'got 1.5', 'ls', '--limit', '1.5'],
    [2, 'got 0', 'ls', '--limit', '0'],
    [2, 'Did you mean http://127.0.0.1:7700?', 'ls', '--url', '127.0.0.1:7700'],
  ];
  for (const [code, said, ...args] of typos) {
    expect([args, await millrace(args)]).toEqual([args, { code, out: '', err: expect.stringContaining(said) }]);
  }
  expect(JSON.parse(await done('get', video, '--json'))).toMatchObject({ title: 'Typed' });
  expect(await done('live', 'ls')).toBe('');
});

test('in a terminal, an upload shows a bar, completed actions are reported, and Tab completes commands', async () => {
  const terminal = await openTerminal(folder);
  try {
    const login = `clear; m login --profile typed --url ${service.apiUrl}; echo "code $?"`;
    await terminal.type(login);
    await terminal.until(/^Key: $/m);
    await terminal.press('', 'C-c');
    await terminal.until(/^Key: \ncode 130\n/m);
    await terminal.type(login);
    await terminal.until(/^Key: $/m);
    await terminal.type(LIBRARY_KEY);
    await terminal.until(/^Key: \n[^\n]*read and change library 1\.[^\n]*\ncode 0\n/m);
    expect(await readFile(terminal.log, 'utf8')).not.toContain(LIBRARY_KEY);
    await terminal.type('clear; m upload media/clip.mp4; echo "code $?"');
    const uploaded = await terminal.until(/clip\.mp4 preparing \[=* *\] \d+ %\n([0-9a-f-]{36})\ncode 0\n/);
    // The terminal has since overwritten this output on the screen.
    expect(await readFile(terminal.log, 'utf8')).toMatch(/clip\.mp4 uploading \[=+\] 100 %/);
    const [, video = ''] = uploaded;
    await terminal.type('clear; m ls');
    await terminal.until(new RegExp(`^${video} +clip +[a-z-]+$`, 'm'));
    await terminal.type(`clear; m rm ${video} trash=true; echo "code $?"`);
    await terminal.until(/^Done\.\ncode 0\n/m);
    await terminal.type(`clear; m get ${video}; echo "code $?"`);
    await terminal.until(/^millrace get: [^\n]*404[\s\S]*\ncode 4\n/m);
    await terminal.type('clear; source <(m completion)');
    await terminal.press('millrace colle', 'Tab');
    await terminal.until(/millrace collections/);
    await terminal.press('', 'C-c');
    const script = join(projectRoot, 'test/house/every-verb-process.ts');
    await terminal.type(`clear; '${process.execPath}' '${script}' codes.json hello.vtt`);
    await terminal.until(/^\d+ verbs ran$/m);
    const codes: Record<string, unknown> = JSON.parse(await readFile(join(folder, 'codes.json'), 'utf8'));
    expect(Object.keys(codes).length).toBeGreaterThan(100);
    // Exit codes 0 to 4 are success and errors of the caller. Others would be a crash or a fault of the service.
    expect(Object.entries(codes).filter(([, code]) => ![0, 1, 2, 3, 4].includes(Number(code)))).toEqual([]);
    // Lists and details are printed as in any other terminal.
    expect(codes).toMatchObject({ ls: 0, 'libraries ls': 0, 'collections ls': 0, system: 0, get: 4, 'keys ls': 4 });
  } finally {
    await terminal.close();
  }
});

test('the npm package of the command-line client works in an empty folder, without PostgreSQL and ffmpeg', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'millrace-packed-cli-'));
  try {
    // Works even if npm is configured not to run package scripts.
    await run(process.execPath, ['pack.js'], { cwd: join(projectRoot, 'cli') });
    const { stdout } = await run('npm', ['pack', '--pack-destination', empty], { cwd: join(projectRoot, 'cli') });
    const archive = join(empty, stdout.trim().split('\n').at(-1) ?? '');
    await run('npm', ['install', '--offline', '--no-audit', '--prefix', empty, archive], { cwd: empty });
    const program = join(empty, 'node_modules/millrace-cli/dist/millrace.js');
    const env = { PATH: '/nowhere', HOME: empty, MILLRACE_LIBRARY_KEY: LIBRARY_KEY };
    const sent = await run(process.execPath, [program, 'upload', clip, '--url', service.apiUrl], { env, cwd: empty });
    const listed = await run(process.execPath, [program, 'ls', '--url', service.apiUrl], { env, cwd: empty });
    expect(listed.stdout).toContain(sent.stdout.trim());
    expect((await run(process.execPath, [program, '--version'], { env, cwd: empty })).stdout).toMatch(
      /^\d+\.\d+\.\d+\n$/,
    );
    const unknown = run(process.execPath, [program, 'serve'], { env, cwd: empty });
    await expect(unknown).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no command serve'),
    });
  } finally {
    await rm(empty, { recursive: true, force: true });
  }
});
