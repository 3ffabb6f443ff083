import { spawn } from 'node:child_process';
import type { Scope } from '../scope.ts';

/**
 * Each frame is a grid of 8 x 4 cells: 30 cells are the bits of the time (ms since 1970 modulo 2^30), and two are check
 * cells.
 */
export const GRID = { columns: 8, rows: 4, bits: 30 } as const;

const [WIDTH_PX, HEIGHT_PX, RATE] = [640, 360, 25];

/**
 * Publishes frames that show the time at which they were drawn, until the scope ends, with 2 s between keyframes.
 * `stop` throws if the publisher had already exited.
 */
export function publishClock(scope: Scope, address: string): { stop(): void } {
  const picture = [
    '-f',
    'rawvideo',
    '-pix_fmt',
    'gray',
    '-s',
    `${WIDTH_PX}x${HEIGHT_PX}`,
    '-r',
    `${RATE}`,
    '-i',
    'pipe:0',
  ];
  const encoder = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-tune',
    'zerolatency',
    '-pix_fmt',
    'yuv420p',
    '-g',
    '50',
  ];
  const argv = ['-nostdin', '-v', 'error', '-fflags', 'nobuffer', ...picture, ...encoder, '-f', 'flv', address];
  const child = spawn('ffmpeg', argv, { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.on('error', () => undefined);
  const startedMs = performance.now();
  let drawn = 0;
  const timer = setInterval(() => {
    // Like a camera, send late frames immediately instead of dropping them.
    for (; drawn < ((performance.now() - startedMs) * RATE) / 1000; drawn += 1) child.stdin.write(drawTime(Date.now()));
  }, 5);
  const end = () => {
    clearInterval(timer);
    child.kill('SIGKILL');
  };
  scope.own(end);
  return {
    stop() {
      if (child.exitCode !== null) throw new Error(`Expected the publisher of ${address} to continue, but it exited.`);
      end();
    },
  };
}

function drawTime(ms: number): Buffer {
  const value = ms % 2 ** GRID.bits;
  const bits = Array.from(
    { length: GRID.bits },
    (_, index) => Math.floor(value / 2 ** (GRID.bits - 1 - index)) % 2 === 1,
  );
  const isOdd = bits.filter(Boolean).length % 2 === 1;
  const cells = [...bits, isOdd, !isOdd];
  const rows = Array.from({ length: GRID.rows }, (_, row) => {
    const line = Buffer.alloc(WIDTH_PX);
    for (let x = 0; x < WIDTH_PX; x += 1) {
      line[x] = cells[row * GRID.columns + Math.floor((x * GRID.columns) / WIDTH_PX)] === true ? 235 : 16;
    }
    return Buffer.concat(Array.from({ length: HEIGHT_PX / GRID.rows }, () => line));
  });
  return Buffer.concat(rows);
}
