import path from 'node:path';
import type { Service } from '../test/support/service.ts';
import { REAL_CLIP } from '../test/support/videos.ts';
import { bareLadder, LADDER } from './support/bare-ladder.ts';
import { measureCommand } from './support/cpu-group.ts';
import { remux, runFfmpeg } from './support/ffmpeg.ts';
import { makeFolder, sendFile, startMillrace, untilFinished, untilNoEncoder } from './support/millrace.ts';
import { median, report, say } from './support/report.ts';

// Measures the CPU seconds for the storyboard, five thumbnails and four previews of a 30 s clip. The baselines are
// ffmpeg encoding the ladder of the clip, and ffmpeg creating the same images by separate passes over the source.
const LIMIT_MS = 600_000;
const CLIP_SEC = 30;
const ROUNDS = 3;
const CHILD = path.resolve(import.meta.dirname, 'support/image-child.ts');

await report('images', async (scope) => {
  const folder = makeFolder(scope);
  const mkv = await remux(REAL_CLIP, path.join(folder, 'clip.mkv'));
  const mp4 = path.join(folder, 'clip.mp4');
  await runFfmpeg(['-i', REAL_CLIP, '-map', '0', '-c', 'copy', '-movflags', '+faststart', mp4]);
  const service = await startMillrace(scope);
  const encoded = await measurePictures(service, mkv);
  const passed = await measurePictures(service, mp4);
  const ladder = (await measureCommand('ffmpeg', bareLadder(mkv, folder, LADDER, { hasSound: true, threads: 'one' })))
    .cpuSec;
  const passes = await sumUp(passesOverSource(mkv, folder));
  const unit = 'cpu-s';
  return [
    { name: 'pictures of an encoded clip; baseline: its ladder', ours: encoded, baseline: ladder, bar: 0.03, unit },
    {
      name: 'pictures of one that passes through; baseline: its ladder',
      ours: passed,
      baseline: ladder,
      bar: 0.03,
      unit,
    },
    { name: 'pictures; baseline: the same by passes over the source', ours: encoded, baseline: passes, bar: 0.2, unit },
  ];
});

/** Returns the CPU seconds for the images, excluding the start of the process that creates them. */
async function measurePictures(service: Service, file: string): Promise<number> {
  const { guid, answered } = await sendFile(service, file);
  await answered;
  await untilFinished(service, guid, LIMIT_MS);
  await untilNoEncoder(service);
  const run = async (action: string) =>
    (await measureCommand(process.execPath, [CHILD, service.dataDir, guid, action])).cpuSec;
  const costs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [empty, full] = [await run('plan'), await run('make')];
    say(`${path.basename(file)}: ${full.toFixed(2)} cpu-s, of which ${empty.toFixed(2)} for the empty process`);
    costs.push(full - empty);
  }
  return median(costs);
}

async function sumUp(commands: readonly string[][]): Promise<number> {
  let sum = 0;
  for (const command of commands) sum += (await measureCommand('ffmpeg', command)).cpuSec;
  return sum;
}

/**
 * Returns ffmpeg arguments for storyboard, thumbnails at exact times, and previews, each by a separate ffmpeg with the
 * same settings.
 */
function passesOverSource(source: string, folder: string): string[][] {
  const open = (...argv: string[]) => ['-nostdin', '-v', 'error', '-y', '-threads', '1', ...argv, '-i', source, '-an'];
  const moments = [3, 9, 15, 21, 27];
  const pieces = moments.map((sec) => `between(t,${sec},${sec + 0.6})`).join('+');
  const cut = `select='${pieces}',setpts=N/24/TB`;
  const animation = (filters: string, ...output: string[]) => [...open(), '-vf', `${cut},${filters}`, ...output];
  const to = (name: string) => path.join(folder, name);
  return [
    [...open(), '-vf', 'fps=1/2:round=up,scale=300:168,tile=6x6', '-q:v', '5', to('seek-%d.jpg')],
    ...moments.map((sec) => [...open('-ss', String(sec)), '-frames:v', '1', '-q:v', '3', to(`thumbnail-${sec}.jpg`)]),
    animation('fps=10,scale=320:180', '-c:v', 'libwebp_anim', '-compression_level', '0', '-q:v', '60', to('p.webp')),
    animation('fps=10,scale=320:180,split[a][b];[a]palettegen[p];[b][p]paletteuse', to('p.gif')),
    animation(
      'scale=480:270',
      ...['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-crf', '36', '-b:v', '0', '-threads', '1'],
      to('p.webm'),
    ),
    animation(
      'scale=480:270',
      ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '26', '-threads', '1'],
      to('p.mp4'),
    ),
  ].map((command) => [...command.slice(0, -1), '-t', String(CLIP_SEC), command.at(-1) ?? '']);
}
