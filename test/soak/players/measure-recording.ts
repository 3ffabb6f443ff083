import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { RATE, readNumber } from './numbered-clip.ts';

const run = promisify(execFile);
/** Ten by ten samples per cell, so the middle one is away from the cell's edges. */
const CELL = 10;
const [COLUMNS, ROWS] = [4, 3];
const FRAME_BYTES = COLUMNS * CELL * ROWS * CELL;
const OPTIONS = { timeout: 90_000, maxBuffer: 256 * 2 ** 20 } as const;
/** Each second begins with a beep, followed by silence. */
const BEEP_ENDS_SILENCE = 'silencedetect=n=-25dB:d=0.5';

/**
 * Measures, on a recording's own clock, how late the numbered clip's frames and beeps are: the median of each, in ms.
 * The recording may begin anywhere in the clip.
 */
export async function measureRecording(file: string): Promise<{ pictureMs: number; soundMs: number }> {
  const input = ['-nostdin', '-v', 'info', '-copyts', '-i', file];
  const grey = `scale=${COLUMNS * CELL}:${ROWS * CELL}:flags=area,format=gray,showinfo`;
  const decode = [...input, '-map', '0:v:0', '-vf', grey, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'];
  const pictures = await run('ffmpeg', decode, { ...OPTIONS, encoding: 'buffer' });
  const timesSec = [...pictures.stderr.toString().matchAll(/ pts_time:([\d.-]+)/g)].map(([, sec]) => Number(sec));
  const late = timesSec.flatMap((sec, frame) => {
    const number = readNumber(middles(pictures.stdout.subarray(frame * FRAME_BYTES, (frame + 1) * FRAME_BYTES)));
    return number === null ? [] : [sec - number / RATE];
  });
  const pictureSec = median(late);
  const listen = [...input, '-map', '0:a:0', '-af', BEEP_ENDS_SILENCE, '-f', 'null', '-'];
  const { stderr } = await run('ffmpeg', listen, OPTIONS);
  // The filter also reports the end of the recording as an end of silence.
  const beepsSec = [...stderr.matchAll(/silence_end: ([\d.]+)/g)].map(([, sec]) => Number(sec)).slice(0, -1);
  const soundSec = median(beepsSec.map((sec) => sec - Math.round(sec - pictureSec)));
  return { pictureMs: Math.round(pictureSec * 1000), soundMs: Math.round(soundSec * 1000) };
}

/** Returns the numbers of all frames of a file in presentation order. Throws on any report of the decoder. */
export async function readNumbers(file: string): Promise<(number | null)[]> {
  const grey = `scale=${COLUMNS * CELL}:${ROWS * CELL}:flags=area,format=gray`;
  const argv = ['-nostdin', '-v', 'error', '-i', file, '-vf', grey, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'];
  const { stdout, stderr } = await run('ffmpeg', argv, { ...OPTIONS, encoding: 'buffer' });
  if (stderr.length > 0) throw new Error(`Expected a file that decodes, ffmpeg said: ${stderr}`);
  const frames = Math.floor(stdout.length / FRAME_BYTES);
  return Array.from({ length: frames }, (_, index) =>
    readNumber(middles(stdout.subarray(index * FRAME_BYTES, (index + 1) * FRAME_BYTES))),
  );
}

/** Returns the number shown by a PNG file (null if it is not a frame of the clip) and its height. */
export async function readPictureFile(file: string): Promise<{ number: number | null; heightPx: number }> {
  const grey = `scale=${COLUMNS * CELL}:${ROWS * CELL}:flags=area,format=gray`;
  const argv = ['-nostdin', '-v', 'error', '-i', file, '-vf', grey, '-frames:v', '1', '-f', 'rawvideo', '-'];
  const { stdout } = await run('ffmpeg', argv, { ...OPTIONS, encoding: 'buffer' });
  // The image header follows the signature: its length, its name, width and height (PNG section 11.2.1).
  const heightPx = (await readFile(file)).readUInt32BE(20);
  return { number: readNumber(middles(stdout)), heightPx };
}

function middles(grey: Buffer): number[] {
  return Array.from({ length: COLUMNS * ROWS }, (_, index) => {
    const [column, row] = [index % COLUMNS, Math.floor(index / COLUMNS)];
    return grey[(row * CELL + CELL / 2) * COLUMNS * CELL + column * CELL + CELL / 2] ?? 0;
  });
}

function median(values: readonly number[]): number {
  if (values.length < 3) throw new Error(`Expected at least three measurements, got ${values.length}.`);
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
