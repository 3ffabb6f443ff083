import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const MAX_BYTES = 64 * 2 ** 20;

/** Returns samples (16 bits, mono, 16 kHz) that an ffmpeg source filter generates. */
export async function makeSamples(source: string): Promise<Buffer> {
  return await decode(['-f', 'lavfi', '-i', source]);
}

/** Returns samples of a file. `filter` is an ffmpeg filter. */
export async function readSamples(file: string, filter = 'anull'): Promise<Buffer> {
  return await decode(['-i', file, '-af', filter]);
}

async function decode(input: readonly string[]): Promise<Buffer> {
  const output = ['-ac', '1', '-ar', '16000', '-f', 's16le', 'pipe:1'];
  const options = { encoding: 'buffer' as const, maxBuffer: MAX_BYTES };
  const { stdout } = await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...input, ...output], options);
  return stdout;
}

/** Returns `sec` seconds of silence. */
export function silence(sec: number): Buffer {
  return Buffer.alloc(Math.round(sec * 16_000) * 2);
}
