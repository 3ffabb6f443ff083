import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const BITS = 14;
const BOX_PX = 40;

/**
 * Publishes video (25 frames a second, 2 s between keyframes) that shows each frame's number as white boxes, and a
 * tone. The caller ends it.
 */
export function publishNumbered(url: string, size = '640x360'): ChildProcess {
  const boxes = Array.from({ length: BITS }, (_, bit) => {
    const box = `drawbox=x=${bit * BOX_PX}:y=0:w=${BOX_PX}:h=${BOX_PX}:color=white:t=fill`;
    return `${box}:enable='gte(mod(n,${2 ** (bit + 1)}),${2 ** bit})'`;
  });
  const picture = ['-re', '-f', 'lavfi', '-i', `color=black:size=640x360:rate=25,${boxes.join(',')},scale=${size}`];
  const tone = ['-re', '-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
  const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-b:v', '800k', '-bf', '2'];
  const audio = ['-c:a', 'aac', '-b:a', '96k', '-ac', '2'];
  return spawn('ffmpeg', ['-v', 'error', ...picture, ...tone, ...video, ...audio, '-f', 'flv', url], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Returns the numbers shown by the decoded frames of a playlist or file, in order. */
export async function readNumbers(source: string): Promise<number[]> {
  const boxes = `scale=640:360,crop=${BITS * BOX_PX}:${BOX_PX}:0:0,format=gray,scale=${BITS}:1:flags=area`;
  const output = ['-map', '0:v:0', '-fps_mode', 'passthrough', '-vf', boxes, '-f', 'rawvideo', '-'];
  const { stdout } = await promisify(execFile)('ffmpeg', ['-v', 'error', '-i', source, ...output], {
    encoding: 'buffer',
    maxBuffer: 2 ** 26,
    // Timeout that only a hang exceeds.
    timeout: 90_000,
    killSignal: 'SIGKILL',
  });
  return Array.from({ length: stdout.length / BITS }, (_, frame) =>
    stdout
      .subarray(frame * BITS, (frame + 1) * BITS)
      .reduce((sum, level, bit) => sum + (level > 127 ? 2 ** bit : 0), 0),
  );
}

/** Returns `count` numbers starting with `first`. */
export function run(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}
