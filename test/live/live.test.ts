import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startStream, stopStream } from '../../src/catalog/live/live-stream.ts';
import { openScriptPage, playInShaka, SHAKA } from '../delivery/in-page.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { faultsOf, playLive, readPlayback } from './live-player.ts';
import { createLive, ended, FEW_PICTURES, NO_RUNGS, publish, readText, startLive, until } from './live-service.ts';

const run = promisify(execFile);

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_OUTBOUND_ALLOW: '127.0.0.0/8' });
});
afterAll(() => fixture.close());

test('playback continues after a killed encoder reconnects, and stopping creates the video immediately', async () => {
  const { key, ingest, base } = await startLive(fixture);
  const first = await publish(ingest, FEW_PICTURES);
  await until(() => readText(`${base}/playlist.m3u8`), 'a playlist');
  const page = await playLive(fixture.browser, fixture.service.edgeUrl, `${base}/playlist.m3u8`);
  const before = await until(async () => {
    const now = await readPlayback(page);
    return now.timeSec > 4 ? now : null;
  }, 'playback');
  expect(faultsOf(before.errors)).toEqual([]);
  const still = await until(async () => {
    const rows = await fixture.catalogue.database.db
      .selectFrom('live_thumbnail')
      .select('at')
      .where('stream_id', '=', key.mediaId)
      .execute();
    return rows[0]?.at ?? null;
  }, 'a still');
  const picture = await fetch(`${base}/thumbnails/${still.getTime()}.jpg`);
  expect(
    Buffer.from(await picture.arrayBuffer())
      .subarray(0, 2)
      .toString('hex'),
  ).toBe('ffd8');
  first.kill('SIGKILL');
  await ended(first);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const second = await publish(ingest, FEW_PICTURES);
  const after = await until(
    async () => {
      const now = await readPlayback(page);
      return now.timeSec > before.timeSec + 6 ? now : null;
    },
    'playback that goes on in the same page',
    90_000,
  );
  expect(faultsOf(after.errors, 1)).toEqual([]);
  expect(after.holes).toEqual([]);
  const live = await readText(await mediaPlaylistOf(base));
  expect(live).not.toContain('EXT-X-DISCONTINUITY\n');
  expect(live).toContain('#EXT-X-MEDIA-SEQUENCE:0\n');
  expect(await readText(`${base}/playlist.m3u8`)).toContain(`FRAME-RATE=${FEW_PICTURES.rate}.000`);
  await fixture.catalogue.streams.change(key, stopStream);
  await ended(second);
  const video = await until(async () => {
    const text = await readText(await mediaPlaylistOf(base));
    return text?.includes('#EXT-X-ENDLIST') ? text : null;
  }, 'the video');
  // Everything sent to viewers is in the video, under the same numbers.
  for (const [segment] of (live ?? '').matchAll(/^\d+\.m4s$/gm)) expect(video).toContain(`\n${segment}\n`);
  expect(await fixture.catalogue.streams.load(key)).toMatchObject({ isVideo: true, stream: { state: 'ended' } });
  const { stdout, stderr } = await run('ffprobe', [
    ...['-v', 'error', '-count_frames', '-select_streams', 'v', '-show_entries', 'stream=nb_read_frames'],
    ...['-of', 'csv=p=0', `${base}/playlist.m3u8`],
  ]);
  expect(stderr).toBe('');
  const listedSec = [...video.matchAll(/#EXTINF:([\d.]+)/g)].reduce((sum, [, sec]) => sum + Number(sec), 0);
  // Frames are reordered, so both interrupted publishers may have sent a frame without the two that are shown before
  // it.
  const lackingFrames = Math.round(listedSec * FEW_PICTURES.rate) - Number.parseInt(stdout, 10);
  expect([0, 1, 2, 3, 4]).toContain(lackingFrames);
}, 180_000);

test('rejects a publisher without a valid key, and lets a publisher with the same key take over', async () => {
  const { key, ingest, base } = await createLive(fixture);
  const wrong = await publish(`${ingest.slice(0, -4)}0000`, NO_RUNGS);
  let said = '';
  wrong.stderr?.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  expect(await ended(wrong)).not.toBe(0);
  expect(said).toContain('No stream has this key');
  const frozen = await publish(ingest, NO_RUNGS);
  await until(async () => ((await fixture.catalogue.streams.load(key)).ingest.primaryLive ? true : null), 'a preview');
  expect(await readText(`${base}/playlist.m3u8`)).toBe(null);
  frozen.kill('SIGSTOP');
  await fixture.catalogue.streams.change(key, startStream);
  const newer = await publish(ingest, NO_RUNGS);
  await until(() => readText(`${base}/playlist.m3u8`), 'a playlist of the newer publisher');
  frozen.kill('SIGKILL');
  await fixture.catalogue.streams.remove(key);
  await ended(newer);
  expect(await readText(`${base}/playlist.m3u8`)).toBe(null);
}, 120_000);

async function mediaPlaylistOf(base: string): Promise<string> {
  const multivariant = (await readText(`${base}/playlist.m3u8`)) ?? '';
  return `${base}/${/\n(r\/.*\.m3u8)/.exec(multivariant)?.[1]}`;
}

test('a killed ingest process and a changed resolution lose no part that viewers have received', async () => {
  const receiver = await createLive(fixture);
  const relays = [receiver.ingest, 'rtmp://10.0.0.1/live/key'];
  const { key, ingest, base } = await startLive(fixture, { relays });
  const listed = async () => parts((await readText(await mediaPlaylistOf(base))) ?? '');
  const first = await publish(ingest, NO_RUNGS);
  await until(async () => ((await listed()).segments.length >= 2 ? true : null), 'two segments');
  const before = await listed();
  // The relay of the stream receives the same media. The relay to a private IP address fails with a reason and does
  // not affect the other one.
  const { relays: states } = (await fixture.catalogue.streams.load(key)).ingest;
  expect(states).toEqual([
    { host: '127.0.0.1', state: 'running', reason: null },
    { host: '10.0.0.1', state: 'failed', reason: expect.stringContaining('not allowed: its address is in the') },
  ]);
  expect((await fixture.catalogue.streams.load(receiver.key)).ingest.primaryLive).toBe(true);
  killAll(await findProcesses(fixture.service, 'role.ts ingest'));
  await ended(first);
  const { listeners } = await until(async () => {
    const health = await fixture.service.health();
    return health.status === 'ok' && health.listeners.rtmp !== undefined ? health : null;
  }, 'the next ingest process');
  const again = `rtmp://127.0.0.1:${listeners.rtmp}/live/${ingest.split('/').at(-1)}`;
  const second = await publish(again, NO_RUNGS);
  const between = await until(async () => {
    const now = await listed();
    return now.segments.length >= before.segments.length + 2 ? now : null;
  }, 'segments of the publisher that came back');
  expect(between.text).not.toContain('#EXT-X-DISCONTINUITY\n');
  second.kill('SIGKILL');
  await ended(second);
  const third = await publish(again, { size: '426x240' });
  const last = await until(async () => {
    const now = await listed();
    return now.text.includes('#EXT-X-DISCONTINUITY\n') ? now : null;
  }, 'another period');
  const growing = await fetch(`${base}/manifest.mpd`);
  expect(await growing.text()).toContain('type="dynamic"');
  await fixture.catalogue.streams.change(key, stopStream);
  await ended(third);
  const video = await until(async () => {
    const now = await listed();
    return now.text.includes('#EXT-X-ENDLIST') ? now : null;
  }, 'the video');
  const playlist = await mediaPlaylistOf(base);
  expect(video.seconds).toBeGreaterThanOrEqual(last.seconds - 0.001);
  const sizes = await Promise.all(periodsOf(video.text).map((addresses) => decodedSize(addresses, playlist)));
  expect(sizes).toEqual(['320,180', '426,240']);
  const manifest = (await readText(`${base}/manifest.mpd`)) ?? '';
  expect(manifest.match(/<Period /g)).toHaveLength(2);
  const page = await openScriptPage(fixture.browser, fixture.service.edgeUrl, SHAKA);
  const played = await playInShaka(page, `${base}/manifest.mpd`);
  expect(played.errors).toEqual([]);
  expect(Math.abs(played.endedAtSec - video.seconds)).toBeLessThan(0.5);
  await page.close();
}, 240_000);

/** Returns the URLs of the init segment and the segments of each period. */
function periodsOf(text: string): string[][] {
  return text.split('#EXT-X-DISCONTINUITY\n').map((period) => {
    const init = /#EXT-X-MAP:URI="(.*)"/.exec(period)?.[1] ?? '';
    return [init, ...(period.match(/^[^#\n]*\.m4s$/gm) ?? [])];
  });
}

/** Decodes all frames of a period and returns their size. Fails on any message of the decoder. */
async function decodedSize(addresses: readonly string[], playlist: string): Promise<string> {
  const answers = await Promise.all(addresses.map((address) => fetch(new URL(address, playlist))));
  const bytes = Buffer.concat(await Promise.all(answers.map(async (one) => Buffer.from(await one.arrayBuffer()))));
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-period-'));
  try {
    const file = path.join(folder, 'period.mp4');
    await writeFile(file, bytes);
    const { stderr } = await run('ffmpeg', ['-v', 'error', '-i', file, '-f', 'null', '-']);
    expect(stderr).toBe('');
    const asked = ['-v', 'error', '-show_entries', 'stream=width,height', '-of', 'csv=p=0', file];
    return (await run('ffprobe', asked)).stdout.trim();
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the whole segments of a media playlist, and the seconds of media including open parts. */
function parts(text: string): { text: string; segments: string[]; seconds: number } {
  const lines = text.split('\n');
  const lastSegment = lines.findLastIndex((line) => line.startsWith('#EXTINF'));
  const seconds = lines.reduce((sum, line, index) => {
    const sec =
      /^#EXTINF:([\d.]+)/.exec(line)?.[1] ??
      (index > lastSegment ? /^#EXT-X-PART:DURATION=([\d.]+)/.exec(line)?.[1] : null);
    return sum + Number(sec ?? 0);
  }, 0);
  return { text, segments: text.match(/^[^#\n]*\d+\.m4s$/gm) ?? [], seconds };
}
