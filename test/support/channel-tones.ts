import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const RATE_HZ = 48_000;
const AMPLITUDE = 0.2;
const READ_SEC = 2;

/** Tone of each channel. The LFE channel needs a low tone, because encoders apply a low-pass filter to it. */
const TONES_HZ: Record<string, number> = {
  FL: 300,
  FR: 500,
  FC: 700,
  LFE: 60,
  BL: 1100,
  BR: 1300,
  SL: 1700,
  SR: 1900,
};

/** Channels of 5.1 in the order of WAVE files. */
export const CHANNELS_OF_51 = ['FL', 'FR', 'FC', 'LFE', 'BL', 'BR'];

/** Returns ffmpeg input arguments for audio with a different tone in each of the given channels. */
export function channelTones(layout: string, channels: readonly string[], lengthSec: number): string[] {
  const tones = channels.map((channel) => `${AMPLITUDE}*sin(2*PI*${TONES_HZ[channel]}*t)`).join('|');
  return ['-f', 'lavfi', '-i', `aevalsrc=exprs='${tones}':c=${layout}:s=${RATE_HZ}:d=${lengthSec}`];
}

/**
 * Returns the level of the given tones in each channel of a 5.1 file, in dB relative to the source, measured over two
 * seconds from `fromSec`.
 */
export async function readToneLevels(file: string, tones: readonly string[], fromSec: number): Promise<number[][]> {
  const argv = ['-v', 'error', '-ss', String(fromSec), '-t', String(READ_SEC), '-i', file, '-f', 'f32le', '-'];
  const { stdout } = await run('ffmpeg', argv, { encoding: 'buffer', maxBuffer: 2 ** 24 });
  const all = new Float32Array(stdout.buffer, stdout.byteOffset, stdout.length / 4);
  const channels = CHANNELS_OF_51.length;
  if (all.length !== READ_SEC * RATE_HZ * channels) {
    throw new Error(`Expected ${READ_SEC} s of six channels at ${RATE_HZ} Hz, got ${all.length} samples.`);
  }
  return CHANNELS_OF_51.map((_, channel) => {
    const own = Float32Array.from({ length: READ_SEC * RATE_HZ }, (_, index) => all[index * channels + channel] ?? 0);
    return tones.map((tone) => 20 * Math.log10(amplitude(own, TONES_HZ[tone] ?? 0) / AMPLITUDE));
  });
}

/** Returns the amplitude of a tone in samples (Goertzel algorithm over whole periods). */
function amplitude(samples: Float32Array, hz: number): number {
  let [real, imaginary] = [0, 0];
  samples.forEach((sample, index) => {
    real += sample * Math.cos((2 * Math.PI * hz * index) / RATE_HZ);
    imaginary += sample * Math.sin((2 * Math.PI * hz * index) / RATE_HZ);
  });
  return (2 * Math.hypot(real, imaginary)) / samples.length;
}
