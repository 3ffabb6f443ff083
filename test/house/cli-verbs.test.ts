import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';
import { runVerb } from '../../src/cli/client/run-verb.ts';
import { verbs } from '../../src/cli/client/verbs.table.ts';
import { closeServer, listen } from '../../src/lib/listen.ts';
import { CORE_VERBS } from '../support/core-verbs.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { call, FINISHED, untilVideo } from '../support/videos.ts';

const run = promisify(execFile);
/** Verbs that `cli.test.ts`, `imports/folder.test.ts` and `api/core-clients.test.ts` run instead. */
const RUN_ELSEWHERE = ['login', 'logout', 'upload', 'completion', 'import', ...CORE_VERBS];

let service: Service;
let folder: string;
const used = new Set<string>(RUN_ELSEWHERE);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-verbs-'));
  // The CLI stores its profiles and unfinished uploads there.
  vi.stubEnv('HOME', folder);
  const clip = ['-f', 'lavfi', '-i', 'testsrc2=size=320x240:rate=10:duration=3', '-c:v', 'libx264'];
  await run('ffmpeg', ['-v', 'error', ...clip, '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', at('clip.mp4')]);
  await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'color=red:s=64x36', '-frames:v', '1', at('red.png')]);
  await writeFile(at('hello.vtt'), 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n');
  service = await startService(null, { MILLRACE_OUTBOUND_ALLOW: '127.0.0.1/32' });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const at = (name: string) => path.join(folder, name);

/** Runs a verb in this process with `--json`, and captures its exit code and output. */
async function verb(words: string, ...args: readonly string[]): Promise<{ code: number | null; out: string }> {
  used.add(words);
  const printed: string[] = [];
  const keep = (part: string | Uint8Array) => {
    printed.push(typeof part === 'string' ? part : Buffer.from(part).toString());
    return true;
  };
  const [out, err] = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  out.mockImplementation(keep);
  err.mockImplementation(keep);
  try {
    const options = ['--url', service.apiUrl, '--key', ACCOUNT_KEY, '--json'];
    const code = await runVerb([...words.split(' '), ...args, ...options]);
    return { code, out: printed.join('').trim() };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

/** Runs a verb that must succeed. Returns its output. */
async function text(words: string, ...args: readonly string[]): Promise<string> {
  const { code, out } = await verb(words, ...args);
  expect({ words, args, code, out: code === 0 ? '' : out }).toEqual({ words, args, code: 0, out: '' });
  return out;
}

/** Returns the first object that a verb printed, after warnings of Node about other test files. */
async function read(words: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const line = (await text(words, ...args)).split('\n').find((one) => !/^\((node:|Use `node)/.test(one));
  return Object(JSON.parse(line ?? 'null'));
}

const ready = (guid: string) => untilVideo(service, guid, ({ status }) => status === FINISHED);

test('creates, edits, lists and deletes videos', async () => {
  const guid = String((await read('create', 'title=Verbs')).guid);
  await text('put', guid, '--file', at('clip.mp4'));
  await ready(guid);
  expect(await read('get', guid)).toMatchObject({ title: 'Verbs', status: FINISHED });
  await text('edit', guid, 'title=Other');
  expect(await text('ls', 'search=Other')).toContain(guid);
  await text('find', 'hello');
  const shelf = String((await read('collections create', 'name=Shelf')).guid);
  await text('mv', guid, shelf);
  expect(await read('collections get', shelf)).toMatchObject({ videoCount: 1 });
  await text('collections edit', shelf, 'name=Board');
  expect(await text('collections ls')).toContain('Board');
  await text('thumbnail', guid, at('red.png'));
  await text('captions add', guid, 'en', at('hello.vtt'), 'label=English');
  await text('captions rm', guid, 'en');
  expect(await read('resolutions', guid)).toBeTypeOf('object');
  expect(await read('size', guid)).toBeTypeOf('object');
  await text('cleanup', guid, 'resolutionsToDelete=1080p', 'dryRun=true');
  expect(await read('why', guid)).toMatchObject({ guid });
  expect(await read('activity', guid)).toMatchObject({ tasks: [] });
  await text('queue', guid);
  expect(await read('play', guid)).toBeTypeOf('object');
  await text('heatmap', guid);
  await text('play-heatmap', guid);
  expect(await text('stats')).toContain('viewsChart');
  expect(await text('oembed', `${service.edgeUrl}/embed/1/${guid}`)).toContain('iframe');
  expect(await text('token', guid)).toContain(`/play/1/${guid}?token=`);
  await text('add-codec', guid, '1');
  await ready(guid);
  // The video has no failed rungs to retry, and no encode to cancel.
  expect(await verb('cancel', guid)).toMatchObject({ code: 1, out: expect.stringContaining('it is finished') });
  expect(await verb('retry-resolutions', guid)).toMatchObject({ code: 1, out: expect.stringContaining('400') });
  await text('retry');
  await text('replace', guid, at('clip.mp4'), '--no-wait');
  await ready(guid);
  await text('reencode', guid);
  await ready(guid);
  const shorter = String((await read('clip', guid, '0', '0:00:02', 'title=Short')).guid);
  const parts = `parts:=[{"videoId":"${guid}","startMs":0,"endMs":1000}]`;
  const composed = String((await read('compose', 'title=Composed', parts)).guid);
  await ready(composed);
  await text('collections rm', shelf);
  await text('rm', composed);
  await text('rm', shorter, 'trash=true');
  expect(await text('trash ls')).toMatch(new RegExp(`${shorter}.*Short`));
  await text('trash restore', shorter);
  await text('rm', shorter, 'trash=true');
  await text('trash rm', shorter);
  const filter = JSON.stringify({ search: 'Other' });
  const { guid: bulk } = await read('bulk create', 'action=move', 'collectionId=', `filter:=${filter}`);
  expect(await read('bulk get', String(bulk))).toMatchObject({ total: 1 });
  expect(await text('export')).toContain(guid);
  expect(await text('api', 'GET', '/library/1/videos')).toContain(guid);
});

test('fetches a video from a URL, and reports integrations that are not configured', async () => {
  const clip = await readFile(at('clip.mp4'));
  const origin = createServer((_request, response) => response.end(clip));
  const url = `http://127.0.0.1:${await listen(origin, 0, '127.0.0.1')}/clip.mp4`;
  try {
    expect(await read('fetch', `url=${url}`)).toMatchObject({ success: true });
    const guid = String((await read('create', 'title=Into')).guid);
    await text('fetch-into', guid, `url=${url}`);
    await ready(guid);
    expect((await verb('smart', guid)).code).toBe(1);
    expect((await verb('captions transcribe', guid)).code).toBe(1);
    expect((await verb('repackage', guid)).code).toBe(1);
  } finally {
    await closeServer(origin, 0);
  }
});

test('manages libraries, keys and webhooks', async () => {
  const id = String((await read('libraries create', 'Name=Second')).Id);
  expect(await text('libraries ls')).toContain('Second');
  await text('libraries edit', id, 'Name=Third');
  expect(await read('libraries get', id)).toMatchObject({ Name: 'Third' });
  await text('libraries allow-referrer', id, 'Hostname=a.example');
  await text('libraries unallow-referrer', id, 'Hostname=a.example');
  await text('libraries block-referrer', id, 'Hostname=b.example');
  await text('libraries unblock-referrer', id, 'Hostname=b.example');
  await text('libraries watermark', id, '--file', at('red.png'));
  await text('libraries rm-watermark', id);
  expect(await text('libraries languages')).toContain('en');
  expect(await text('libraries audit', id)).not.toBe('');
  await text('libraries drm', id);
  await text('libraries transcribing', id);
  const key = String((await read('keys create', id, 'Scope=read', 'Label=tv')).Id);
  expect(await text('keys ls', id)).toContain('tv');
  await text('keys rm', id, key);
  await text('keys reset', id);
  await text('keys reset-read-only', id);
  await text('webhooks ls');
  const received = Promise.withResolvers<void>();
  const receiver = createServer((_request, response) => {
    received.resolve();
    response.end();
  });
  const url = `http://127.0.0.1:${await listen(receiver, 0, '127.0.0.1')}/`;
  onTestFinished(() => closeServer(receiver, 0));
  await text('libraries edit', '1', `WebhookUrl=${url}`);
  await text('webhooks test');
  await received.promise;
  const events = (await text('webhooks ls')).split('\n').map((line) => Object(JSON.parse(line)));
  await text('webhooks resend', String(events[0]?.id ?? events[0]?.guid));
  await text('libraries edit', '1', 'WebhookUrl=');
  await text('libraries rm', id);
});

test('manages live streams', async () => {
  const guid = String((await read('live create', 'title=Market day')).guid);
  expect(await text('live ls')).toContain(guid);
  expect(await read('live get', guid)).toMatchObject({ title: 'Market day' });
  await text('live edit', guid, 'title=Market');
  expect(await read('live status', guid)).toBeTypeOf('object');
  await text('live play', guid);
  await text('live regenerate-key', guid);
  await text('live thumbnails', guid);
  await text('live thumbnail', guid, '--file', at('red.png'));
  await text('live rm-thumbnail', guid);
  await text('live bitrate', guid);
  await text('live bitrate-history', guid);
  await text('live start', guid);
  await text('live stop', guid);
  await text('live rm', guid);
});

test('manages zones, shield and storage, and shows the state of the installation', async () => {
  const zone = String((await read('zones ls')).Id);
  expect(await read('zones get', zone)).toMatchObject({ Name: 'vz-1' });
  await text('zones edit', zone, 'RequestLimit:=0');
  const url = `Url=${service.edgeUrl}/vz-1/x/playlist.m3u8`;
  expect(await read('zones explain', zone, url)).toMatchObject({ Verdict: expect.any(String) });
  await text('zones purge', zone);
  await text('zones reset-key', zone);
  await text('zones allow-referrer', zone, 'Hostname=a.example');
  await text('zones unallow-referrer', zone, 'Hostname=a.example');
  await text('zones block-referrer', zone, 'Hostname=b.example');
  await text('zones unblock-referrer', zone, 'Hostname=b.example');
  await text('zones block-ip', zone, 'BlockedIp=192.0.2.1');
  await text('zones unblock-ip', zone, 'BlockedIp=192.0.2.1');
  await text('zones add-hostname', zone, 'Hostname=video.example');
  await text('zones rm-hostname', zone, 'Hostname=video.example');
  const shield = Object(JSON.parse(await text('shield of-zone', zone)));
  const shieldId = String(shield.data?.shieldZoneId ?? shield.shieldZoneId);
  await text('shield ls');
  await text('shield get', shieldId);
  await text('shield edit', `shieldZoneId:=${shieldId}`, 'shieldZone:={}');
  const today = new Date();
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${two(today.getUTCMonth() + 1)}-${two(today.getUTCDate())}-${today.getUTCFullYear()}`;
  await text('shield log', shieldId, day);
  // An unknown token is refused like a wrong key.
  expect((await verb('shield log-next', shieldId, day, 'no-token')).code).toBe(3);
  const span = [`from:=${Date.now() - 3_600_000}`, `to:=${Date.now()}`];
  await text('shield search', shieldId, ...span);
  await text('shield export', shieldId, ...span);
  const { StorageZoneId } = await read('zones get', zone);
  await text('storage get', String(StorageZoneId));
  await text('storage edit', String(StorageZoneId));
  expect(await read('system')).toMatchObject({ Version: expect.any(String) });
  const nodes = (await text('nodes'))
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  for (const role of ['api', 'edge', 'ingest', 'worker'])
    expect(nodes).toContainEqual(
      expect.objectContaining({ Role: role, Version: expect.any(String), CpuCores: expect.any(Number) }),
    );
  expect(await read('health')).toMatchObject({ status: 'ok' });
  for (const words of ['user', 'billing']) await text(words);
});

test('follows the progress of a video or a library until it is interrupted', async () => {
  const guid = String((await read('create', 'title=Followed')).guid);
  for (const args of [['progress', guid], ['events']]) {
    used.add(args[0] ?? '');
    const options = ['--url', service.apiUrl, '--key', ACCOUNT_KEY];
    const child = spawn(process.execPath, [path.join(projectRoot, 'bin/millrace.js'), ...args, ...options]);
    const ended = once(child, 'exit');
    try {
      const line = once(child.stdout.setEncoding('utf8'), 'data');
      const stderr = readText(child.stderr);
      const early = ended.then(async ([code]) => {
        throw new Error(`Expected ${args[0]} to run until it is stopped, but it ended with ${code}: ${await stderr}`);
      });
      // Repeats a change until it was seen, because a subscriber may start after the first.
      let isSeen = false;
      const changes = (async () => {
        for (let turn = 0; !isSeen && turn < 60; turn += 1) {
          await call(service, 'POST', `/library/1/videos/${guid}`, { title: `${args[0]} ${turn}` });
          await sleep(1_000);
        }
        if (!isSeen) throw new Error(`Expected ${args[0]} to write a line within a minute, got none.`);
        return [];
      })();
      const [seen] = await Promise.race([line, early, changes]).finally(() => {
        isSeen = true;
      });
      await changes;
      expect(Object(JSON.parse(String(seen).split('\n')[0] ?? ''))).toBeTypeOf('object');
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  }
});

test('every other command reaches the service and reports that the object does not exist', async () => {
  const nobody = '0192f000-0000-7000-8000-00000000dead';
  const others = verbs.filter(({ words }) => !used.has(words));
  for (const { words, takes } of others) {
    const required = takes.filter((name) => !name.endsWith('?'));
    const args = required.map((name) => (['id', 'shieldZoneId', 'pullZoneId'].includes(name) ? '999999999' : nobody));
    const { code, out } = await verb(words, ...args);
    // Exit code 2 would mean wrong arguments, and 5 a fault of the service.
    expect([0, 1, 3, 4], `${words}: ${out}`).toContain(code);
  }
});
