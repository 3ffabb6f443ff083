import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refused } from '../../lib/refused.ts';
import type { ChildEnd } from '../ffmpeg/run-child.ts';
import { runSandboxed } from '../ffmpeg/run-sandboxed.ts';
import type { ResourceLimits } from '../ffmpeg/sandbox-argv.ts';
import { writeBlurhash } from './blurhash.ts';
import { type ImageColours, readImageColours } from './image-colours.ts';
import { type ImageKind, readImageKind } from './image-kind.ts';
import { readJpegSize } from './jpeg-size.ts';
import { MINIATURE } from './miniature.ts';
import { planImage, planMark } from './plan-image.ts';

/** A JPEG encoded by this service, its size, and its BlurHash. */
export type Image = { jpeg: Buffer; widthPx: number; heightPx: number; blurhash: string };

/** Re-encodes untrusted images in the sandbox. The number of concurrent conversions is limited. */
export type ImageMaker = {
  /**
   * Decodes a JPEG, PNG, WebP or AVIF file in the sandbox and encodes it as JPEG. Throws `Refused` (`invalid`) for
   * other formats and undecodable files, and `Refused` (`busy`) if too many requests are waiting.
   */
  make(bytes: Buffer, signal: AbortSignal): Promise<Image>;
  /** Like `make`, for a watermark. Returns a PNG with transparency. */
  makeMark(bytes: Buffer, signal: AbortSignal): Promise<Buffer>;
};

export type ImageLimits = { atOnce: number; waiting: number };

const USUAL_LIMITS: ImageLimits = { atOnce: 2, waiting: 32 };
const TIME_LIMIT_SEC = 20;
const MAX_ANSWER_BYTES = 16 * 2 ** 20;
const LIMITS: ResourceLimits = {
  cpuSec: 15,
  addressSpaceBytes: 3 * 2 ** 30,
  fileSizeBytes: MAX_ANSWER_BYTES,
  openFiles: 64,
};
const NICENESS = 5;

export function createImageMaker(limits: ImageLimits = USUAL_LIMITS): ImageMaker {
  const inTurn = createTurns(limits);
  return {
    make: (bytes, signal) => inTurn(() => makeJpeg(bytes, signal), signal),
    makeMark: (bytes, signal) => inTurn(() => makePng(bytes, signal), signal),
  };
}

/** Limits the number of running and of waiting tasks. */
function createTurns(limits: ImageLimits) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(make: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    if (running >= limits.atOnce) {
      if (waiting.length >= limits.waiting) {
        throw new Refused('busy', `Too many images are being processed. Send this image again in a few seconds.`);
      }
      // A finished task passes its slot on, so `running` is not incremented here.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      signal.throwIfAborted();
      return await make();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

async function makeJpeg(bytes: Buffer, signal: AbortSignal): Promise<Image> {
  const end = await decode(bytes, { plan: planImage, pipes: 1 }, signal);
  const size = readJpegSize(end.stdout);
  const [rgba] = end.pipes;
  const isWhole = end.stdout.subarray(-2).toString('hex') === 'ffd9';
  if (end.exitCode !== 0 || size === null || !isWhole || rgba === undefined) throw undecodable(end);
  return { jpeg: end.stdout, ...size, blurhash: writeBlurhash({ ...MINIATURE, rgba }) };
}

async function makePng(bytes: Buffer, signal: AbortSignal): Promise<Buffer> {
  const end = await decode(bytes, { plan: planMark, pipes: 0 }, signal);
  const isWhole = readImageKind(end.stdout) === 'png' && end.stdout.subarray(-8, -4).toString('latin1') === 'IEND';
  if (end.exitCode !== 0 || !isWhole) throw undecodable(end);
  return end.stdout;
}

type Decoding = { plan(kind: ImageKind, colours: ImageColours): readonly string[]; pipes: number };

async function decode(bytes: Buffer, { plan, pipes }: Decoding, signal: AbortSignal) {
  const kind = readImageKind(bytes);
  if (kind === null) throw noImage(bytes);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-image-'));
  try {
    const sourcePath = join(folder, 'image');
    await writeFile(sourcePath, bytes, { mode: 0o644 });
    const command = {
      program: 'ffmpeg',
      argv: plan(kind, readImageColours(bytes, kind)),
      sourcePath,
      outputDir: null,
      limits: LIMITS,
    };
    const bounds = { niceness: NICENESS, extraPipes: pipes, takesStdin: false, timeLimitSec: TIME_LIMIT_SEC };
    const end = await runSandboxed({ ...command, ...bounds }, MAX_ANSWER_BYTES, signal);
    signal.throwIfAborted();
    return end;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function noImage(bytes: Buffer): Refused {
  const start = JSON.stringify(bytes.toString('latin1', 0, 12).replaceAll(/[^\x20-\x7e]/g, '.'));
  return new Refused(
    'invalid',
    `Expected a JPEG, PNG, WebP or AVIF image, got ${bytes.length} bytes that begin with ${start}. Send one of ` +
      'these kinds.',
  );
}

function undecodable({ exitCode, killed, stderrTail }: ChildEnd): Refused {
  const last = stderrTail.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
  const reason =
    killed === null ? `the decoder reported "${last || `exit ${exitCode}`}"` : `the decoder was stopped (${killed})`;
  return new Refused(
    'invalid',
    `Expected an image of at most 8192 x 4320 pixels that can be decoded, but ${reason}. Send another file.`,
  );
}
