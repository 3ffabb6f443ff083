import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findCodec } from '../src/media/encode/codecs/all.ts';
import { MAX_BITRATES_BPS } from '../src/media/encode/ladder.ts';
import type { Service } from '../test/support/service.ts';
import { playlistUrl, REAL_CLIP } from '../test/support/videos.ts';
import { remux, runFfmpeg } from './support/ffmpeg.ts';
import { type Client, openClient } from './support/http.ts';
import { dropVideo, makeFolder, sendFile, startMillrace } from './support/millrace.ts';
import { type Measurement, median, report, say } from './support/report.ts';

// Measures the time from the last uploaded byte until a player that polls every 10 ms has received, through the edge,
// the playlists, the init segments and the first segments of video and audio. Reports medians of several uploads.
const RUNS = 7;
const POLL_MS = 10;
const LIMIT_MS = 60_000;
const BAR_SEC = 1;
const IN_SECONDS = { unit: 's', isAbsolute: true } satisfies Partial<Measurement>;

await report('first-play', async (scope) => {
  const folder = makeFolder(scope);
  const client = openClient();
  scope.own(() => client.close());
  const long = await remux(REAL_CLIP, path.join(folder, 'ten-minutes.mp4'), 20);
  const mkv = await remux(REAL_CLIP, path.join(folder, 'clip.mkv'));
  const service = await startMillrace(scope);
  await playOnce(service, client, REAL_CLIP);
  const rig: Rig = { service, client, folder };
  const short = await compare(rig, REAL_CLIP, () => copyOnce(REAL_CLIP, folder));
  const tenMinutes = await compare(rig, long, () => copyOnce(long, folder));
  const encoded = await compare(rig, mkv, () => encodeOnce(mkv, folder));
  return [
    { name: 'H.264 source, 30 s; baseline: ffmpeg -c copy', ...short, bar: BAR_SEC, ...IN_SECONDS },
    { name: 'H.264 source, 10 min; baseline: ffmpeg -c copy', ...tenMinutes, bar: BAR_SEC, ...IN_SECONDS },
    {
      name: 'MKV, encoded; baseline: bare encode of a segment',
      ...encoded,
      bar: encoded.baseline + BAR_SEC,
      ...IN_SECONDS,
    },
  ];
});

type Rig = { service: Service; client: Client; folder: string };

/** Alternates between the service and the baseline, so that both run under the same load of the machine. */
async function compare(
  { service, client }: Rig,
  file: string,
  measureBaseline: () => Promise<number>,
): Promise<{ ours: number; baseline: number }> {
  const ours: number[] = [];
  const baseline: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    ours.push(await playOnce(service, client, file));
    baseline.push(await measureBaseline());
  }
  say(`${path.basename(file)}: ours ${list(ours)}, baseline ${list(baseline)}`);
  return { ours: median(ours), baseline: median(baseline) };
}

async function playOnce(service: Service, client: Client, file: string): Promise<number> {
  const { guid, lastByteMs, answered } = await sendFile(service, file);
  await untilPlayable(client, playlistUrl(service, guid), lastByteMs + LIMIT_MS);
  const tookMs = performance.now() - lastByteMs;
  await answered;
  await dropVideo(service, guid);
  return tookMs / 1000;
}

async function untilPlayable(client: Client, url: string, deadlineMs: number): Promise<void> {
  while (!(await isPlayable(client, url))) {
    if (performance.now() > deadlineMs) throw new Error(`Expected ${url} to become playable within ${LIMIT_MS} ms.`);
    await sleep(POLL_MS);
  }
}

/** Returns whether a player could show the first frame with its audio. */
async function isPlayable(client: Client, url: string): Promise<boolean> {
  const master = await fetchText(client, url);
  if (master === null) return false;
  const video = /^#EXT-X-STREAM-INF:.*\n([^#\n]+)$/m.exec(master)?.[1];
  const audio = /^#EXT-X-MEDIA:.*TYPE=AUDIO.*URI="([^"]+)"/m.exec(master)?.[1];
  if (video === undefined || audio === undefined) return false;
  const [shows, sounds] = await Promise.all([video, audio].map((uri) => hasFirstSegment(client, new URL(uri, url))));
  return shows === true && sounds === true;
}

async function hasFirstSegment(client: Client, url: URL): Promise<boolean> {
  const playlist = await fetchText(client, url.href);
  if (playlist === null) return false;
  const init = /^#EXT-X-MAP:.*URI="([^"]+)"/m.exec(playlist)?.[1];
  const first = /^#EXTINF:.*\n([^#\n]+)$/m.exec(playlist)?.[1];
  if (init === undefined || first === undefined) return false;
  const answers = await Promise.all([init, first].map((uri) => client.ask(new URL(uri, url).href)));
  return answers.every(({ status, body }, index) => status === 200 && holdsBox(body, index === 0 ? 'moov' : 'mdat'));
}

function holdsBox(body: Buffer, name: string): boolean {
  return body.includes(name, 0, 'latin1');
}

async function fetchText(client: Client, url: string): Promise<string | null> {
  const { status, body } = await client.ask(url);
  return status === 200 ? body.toString() : null;
}

/** Returns the time in seconds until ffmpeg, copying to HLS, lists its first segment. */
async function copyOnce(file: string, folder: string): Promise<number> {
  const target = path.join(folder, 'bare');
  await mkdir(target, { recursive: true });
  const playlist = path.join(target, 'out.m3u8');
  const startedMs = performance.now();
  const child = spawn(
    'ffmpeg',
    [
      ...['-nostdin', '-v', 'error', '-i', file, '-map', '0:v', '-map', '0:a', '-c', 'copy'],
      ...['-f', 'hls', '-hls_segment_type', 'fmp4', '-hls_time', '4', '-hls_playlist_type', 'event', playlist],
    ],
    { stdio: 'ignore', cwd: target },
  );
  const ended = once(child, 'close');
  while (!listsSegment(playlist) && child.exitCode === null) await sleep(2);
  const tookMs = performance.now() - startedMs;
  child.kill('SIGKILL');
  await ended;
  rmSync(target, { recursive: true, force: true });
  return tookMs / 1000;
}

function listsSegment(playlist: string): boolean {
  try {
    return readFileSync(playlist, 'utf8').includes('#EXTINF');
  } catch {
    return false;
  }
}

/**
 * Returns the time in seconds that ffmpeg needs to encode the first segment of the lowest rung with the settings of the
 * service.
 */
async function encodeOnce(file: string, folder: string): Promise<number> {
  const rung = { rung: 240, widthPx: 426, heightPx: 240, maxBitrateBps: MAX_BITRATES_BPS[240] } as const;
  const settings = findCodec('h264').encoderArgv({
    rung,
    rate: { num: 24, den: 1 },
    gopFrames: 48,
    threads: 1,
    hdr: null,
  });
  const startedMs = performance.now();
  await runFfmpeg([
    ...['-threads', '1', '-i', file, '-an', '-vf', 'scale=426:240', '-frames:v', '96', ...settings],
    ...['-f', 'mp4', '-movflags', 'empty_moov+default_base_moof+frag_keyframe', path.join(folder, 'segment.mp4')],
  ]);
  return (performance.now() - startedMs) / 1000;
}

function list(values: readonly number[]): string {
  return values.map((value) => value.toFixed(2)).join(' ');
}
