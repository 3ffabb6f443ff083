import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { checkObjects } from '../jobs/check-video.ts';
import { addLibrary, makeClip, startWorkerFixture, type WorkerFixture } from '../jobs/worker-fixture.ts';
import { GROUP_LIMIT_SEC, keyOf, requireFinished, type Source, uploadMany } from './many.ts';
import { brightnessAndSamples, renditionFiles } from './rendition-file.ts';

const DURATION_SEC = 6;
const SIGNAL_SEC = 5;
const MAX_OFFSET_SEC = 0.04;

/** Black until `atSec`, then white. */
function flash(rate: string, atSec = SIGNAL_SEC, durationSec = DURATION_SEC): string[] {
  const white = `drawbox=c=white:t=fill:enable='gte(t,${atSec}-0.0001)'`;
  return ['-f', 'lavfi', '-i', `color=c=black:s=160x120:r=${rate}:d=${durationSec},${white}`];
}

/** Silence until `atSec`, then a tone. */
function beep(atSec = SIGNAL_SEC, durationSec = DURATION_SEC): string[] {
  return ['-f', 'lavfi', '-i', `aevalsrc='if(gte(t,${atSec}),0.5*sin(2*PI*1000*t),0)':s=48000:d=${durationSec}`];
}

const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-bf', '2', '-g', '50', '-c:a', 'aac'];
const OPEN = [...H264, '-x264-params', 'open-gop=1:scenecut=0:bframes=3'];
const VARIABLE = ['-vf', "select='not(mod(n,3))+gt(mod(n,60),40)+gte(t,4.5)'", '-fps_mode', 'vfr'];
const RATES = ['24000/1001', '120', '1'];

const SOURCES: Source[] = [
  ...RATES.map((rate) => ({ name: `${rate} fps.mkv`, argv: [...flash(rate), ...beep(), ...H264] })),
  { name: 'variable.mp4', argv: [...flash('30'), ...beep(), ...VARIABLE, ...H264] },
  { name: 'late sound.mp4', argv: [...flash('20'), '-itsoffset', '0.5', ...beep(SIGNAL_SEC - 0.5), ...H264] },
  { name: 'early sound.mp4', argv: ['-itsoffset', '0.5', ...flash('20', SIGNAL_SEC - 0.5), ...beep(), ...H264] },
  { name: 'early sound.ts', argv: ['-itsoffset', '0.5', ...flash('20', SIGNAL_SEC - 0.5), ...beep(), ...H264] },
  { name: 'negative decode times.mov', argv: [...flash('25'), ...beep(), '-c:v', 'mpeg4', '-bf', '2', '-c:a', 'aac'] },
  { name: 'open groups.mp4', argv: [...flash('25'), ...beep(), ...OPEN] },
  {
    name: 'variable in fragments.mp4',
    argv: [...flash('30'), ...beep(), ...VARIABLE, ...H264, '-movflags', 'frag_keyframe+delay_moov'],
  },
  {
    // Half a second before its 33-bit clock wraps.
    name: 'late sound at a full clock.ts',
    argv: [...flash('25'), '-itsoffset', '0.5', ...beep(SIGNAL_SEC - 0.5), ...H264, '-output_ts_offset', '95440'],
  },
];

/** Copied from a longer file, starting between two keyframes, as described by edit lists. */
const CUT_SEC = 1.3;
const CUTS = [
  { name: 'cut.mp4', codec: H264 },
  { name: 'cut.mov', codec: ['-c:v', 'mpeg4', '-g', '50', '-c:a', 'aac'] },
  { name: 'cut at a keyframe.mp4', codec: [...H264, '-force_key_frames', `0,${CUT_SEC}`] },
];

async function cutSources(): Promise<Source[]> {
  const inputs = [...flash('20', SIGNAL_SEC + CUT_SEC, 8), ...beep(SIGNAL_SEC + CUT_SEC, 8)];
  return Promise.all(
    CUTS.map(async ({ name, codec }) => {
      const whole = await makeClip(fixture, `whole ${name}`, ...inputs, ...codec);
      return { name, argv: ['-ss', `${CUT_SEC}`, '-i', whole, '-c', 'copy'] };
    }),
  );
}

let fixture: WorkerFixture;
let keys: Map<string, MediaKey>;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  const libraryId = await addLibrary(fixture, { encoding: { rungs: [240] } });
  await fixture.startWorker();
  keys = await uploadMany(fixture, libraryId, [...SOURCES, ...(await cutSources())]);
}, GROUP_LIMIT_SEC * 1000);
afterAll(() => fixture.stop());

test.each([...SOURCES, ...CUTS].map(({ name }) => name))(
  '%s: video and audio stay in sync until the end',
  async (name) => {
    const key = keyOf(keys, name);
    await requireFinished(fixture, key);
    await checkObjects(fixture, key);
    const files = await renditionFiles(fixture, key);
    const fileOf = (codec: string) => files.find(({ row }) => row.codec === codec)?.file ?? '';
    const { pictures, sound } = await brightnessAndSamples(fileOf('h264'), fileOf('aac'));
    const flashSec = pictures.find(({ luma }) => luma > 128)?.sec ?? Number.NaN;
    const beepSec = sound.findIndex((sample) => Math.abs(sample) > 0.2) / 8000;
    expect(flashSec).toBeGreaterThan(SIGNAL_SEC - 0.1);
    expect(beepSec).toBeGreaterThan(SIGNAL_SEC - 0.1);
    expect(Math.abs(flashSec - beepSec)).toBeLessThan(MAX_OFFSET_SEC);
  },
);
