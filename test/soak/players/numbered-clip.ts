import { spawn } from 'node:child_process';
import { once } from 'node:events';

export const RATE = 25;
export const LENGTH_SEC = 24;
export const FRAMES = RATE * LENGTH_SEC;

/** `reorders`: encodes with B-frames, so that the presentation order differs from the decoding order. */
export type ClipShape = { widthPx: number; heightPx: number; lengthSec: number; reorders: boolean };

const USUAL: ClipShape = { widthPx: 854, heightPx: 480, lengthSec: LENGTH_SEC, reorders: true };
/** A beep of a tenth of a second at each full second, from 1 on. */
const BEEP = "aevalsrc='if(gte(t,0.9)*lt(mod(t,1),0.1),0.8*sin(2*PI*1000*t),0)':s=48000";

/**
 * Returns the cells of a frame that shows its own number, row by row, `true` for white: ten bits from the highest on, a
 * parity cell (whether their sum is odd), and its opposite, so that other images are recognised. 4 x 3 cells fill the
 * frame.
 */
export function cellsOf(number: number): boolean[] {
  const bits = Array.from({ length: 10 }, (_, index) => ((number >> (9 - index)) & 1) === 1);
  const isOdd = bits.filter(Boolean).length % 2 === 1;
  return [...bits, isOdd, !isOdd];
}

/**
 * Creates a clip, usually of 854x480, in which each frame shows its own number and each second begins with a beep. It
 * is H.264 with a keyframe every two seconds, so that its highest rung is copied and the lower ones are encoded.
 */
export async function makeNumberedClip(file: string, shape: ClipShape = USUAL): Promise<void> {
  const { widthPx, heightPx, lengthSec, reorders } = shape;
  const picture = [
    '-f',
    'rawvideo',
    '-pix_fmt',
    'gray',
    '-s',
    `${widthPx}x${heightPx}`,
    '-r',
    `${RATE}`,
    '-i',
    'pipe:0',
  ];
  const sound = ['-f', 'lavfi', '-i', `${BEEP}:d=${lengthSec}`];
  const frames = `bframes=${reorders ? 3 : 0}:b-adapt=0:keyint=50:min-keyint=50:scenecut=0:open-gop=0`;
  const reordered = ['-x264-params', frames];
  const output = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', ...reordered, '-c:a', 'aac', file];
  const child = spawn('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...picture, ...sound, ...output], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  for (let number = 0; number < RATE * lengthSec; number += 1) {
    if (!child.stdin.write(drawPicture(number, shape))) await once(child.stdin, 'drain');
  }
  child.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`Expected ffmpeg to make the numbered clip, it ended with ${code}.`);
}

function drawPicture(number: number, { widthPx, heightPx }: ClipShape): Buffer {
  const cells = cellsOf(number);
  const rows = [0, 1, 2].map((row) => {
    const line = Buffer.alloc(widthPx);
    for (let x = 0; x < widthPx; x += 1) line[x] = cells[row * 4 + Math.floor((x * 4) / widthPx)] === true ? 235 : 16;
    return Buffer.concat(Array.from({ length: heightPx / 3 }, () => line));
  });
  return Buffer.concat(rows);
}

/** Reads the number from a frame of 4 x 3 grey cells (0 to 255, row by row). Null if it is not a frame of the clip. */
export function readNumber(levels: ArrayLike<number>): number | null {
  const cells = Array.from({ length: 12 }, (_, index) => (levels[index] ?? 0) > 127);
  const number = cells.slice(0, 10).reduce((value, isWhite) => value * 2 + Number(isWhite), 0);
  return cellsOf(number).every((isWhite, index) => isWhite === cells[index]) ? number : null;
}
