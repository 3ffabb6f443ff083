import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Shape of a source with flashes, beeps and frame numbers. If `lengthSec` is null, it runs until the reader stops. */
export type SyncSource = { lengthSec: number | null; rate?: number; size?: string };

/**
 * Options for reading an output. `numberBits`: number of blocks that encode a frame number. `pitches`: true if the
 * pitch of a beep encodes its second, as in the sources of this file. `input`: ffmpeg arguments before `-i`. `fields`:
 * numbers in one frame. A deinterlaced frame blends the numbers of its two fields, and shows either of them.
 */
export type SyncReading = {
  rate?: number;
  numberBits?: number;
  pitches?: boolean;
  fields?: number;
  input?: readonly string[];
};

/** A flash with its beep. `offsetMs` is positive if the audio is late. */
export type SyncPoint = { atSec: number; offsetMs: number };

export type AvSync = {
  points: SyncPoint[];
  /** Maximum absolute offset of all points, in ms. 0 without points. */
  largestMs: number;
  /** Times of flashes without a beep, and of beeps without a flash, in seconds. */
  silentFlashesSec: number[];
  darkBeepsSec: number[];
  /** All frames in presentation order. */
  pictures: { atSec: number; number: number }[];
  /** Gaps above 50 ms in the times of a track, in seconds. */
  pictureHoles: Hole[];
  soundHoles: Hole[];
};

export type Hole = { fromSec: number; toSec: number };

/** Frames per second of sources without another rate. */
export const SYNC_RATE = 30;
const NUMBER_BITS = 16;
/** Number of seconds after which the pitch of a beep repeats. An offset beyond half of it is not detected. */
const PITCHES = 8;
const FIRST_PITCH_HZ = 600;
const PITCH_STEP_HZ = 200;
const BEEP_SEC = 0.0666;
const SAMPLE_RATE_HZ = 48_000;
/** Number of samples per loudness measurement: 2 ms. */
const WINDOW = 96;
/** Fraction of full scale at which a beep begins. Coding noise before it is far below. */
const BEEP_LEVEL = 0.12;
const QUIET_BEFORE_SEC = 0.15;
const FLASH_LEVEL = 180;
const MAX_HOLE_SEC = 0.05;
/** Timeout that only a hang exceeds. */
const DECODE_MS = 300_000;

const execute = promisify(execFile);

/**
 * Returns ffmpeg input arguments for a test source: frames with their number in blocks at the bottom (lowest bit
 * first), a white flash of two frames at each full second from 1 on, and a beep of 67 ms with each flash. The pitch of
 * a beep encodes its second modulo 8.
 */
export function syncSourceArgv({ lengthSec, rate = SYNC_RATE, size = '320x180' }: SyncSource): string[] {
  const flash = `drawbox=0:ih*0.4:iw:ih*0.4:white:fill:enable='gte(n,${rate})*lt(mod(n,${rate}),2)'`;
  const blocks = Array.from({ length: NUMBER_BITS }, (_, bit) => {
    const isSet = `gte(mod(n,${2 ** (bit + 1)}),${2 ** bit})`;
    return `drawbox=iw*${bit}/${NUMBER_BITS}:ih*0.8:iw/${NUMBER_BITS}:ih*0.2:white:fill:enable='${isSet}'`;
  });
  const length = lengthSec === null ? '' : `:d=${lengthSec}`;
  const background = `testsrc2=s=${size}:r=${rate}${length},eq=brightness=-0.4:contrast=0.4`;
  const floor = 'drawbox=0:ih*0.8:iw:ih*0.2:black:fill';
  const pitch = `(${FIRST_PITCH_HZ}+${PITCH_STEP_HZ}*mod(floor(t),${PITCHES}))`;
  const beep = `0.5*sin(2*PI*${pitch}*t)*gte(t,1)*lt(mod(t,1),${BEEP_SEC})`;
  const picture = ['-f', 'lavfi', '-i', [background, flash, floor, ...blocks].join(',')];
  return [...picture, '-f', 'lavfi', '-i', `aevalsrc='${beep}':s=${SAMPLE_RATE_HZ}${length}`];
}

/** Decodes a file or playlist with ffmpeg and returns the offset between audio and video at each flash. */
export async function measureAvSync(input: string, reading: SyncReading = {}): Promise<AvSync> {
  const { rate = SYNC_RATE, numberBits = NUMBER_BITS, pitches = true, fields = 1 } = reading;
  const source = ['-nostdin', '-v', 'info', '-copyts', ...(reading.input ?? []), '-i', input];
  const shown = await readPictures(source, numberBits);
  const heard = await readSound(source);
  const flashes = flashesOf(shown).map(({ atSec, number }) => ({ atSec, pitch: Math.round(number / rate) % PITCHES }));
  const { points, silentFlashesSec, darkBeepsSec } = pair(flashes, heard.beeps, pitches);
  return {
    points,
    largestMs: Math.max(0, ...points.map(({ offsetMs }) => Math.abs(offsetMs))),
    silentFlashesSec,
    darkBeepsSec,
    pictures: shown.map(({ atSec, number }) => ({ atSec, number: number - (number % fields) })),
    pictureHoles: holesOf(shown.map(({ atSec }) => ({ atSec, lengthSec: 1 / rate }))),
    soundHoles: holesOf(heard.frames),
  };
}

/** Reads the number of each frame of a source of this file, in presentation order. */
export async function readFrameNumbers(input: string): Promise<number[]> {
  const source = ['-nostdin', '-v', 'info', '-i', input];
  return (await readPictures(source, NUMBER_BITS)).map(({ number }) => number);
}

type Picture = { atSec: number; number: number; isFlash: boolean };
type Beep = { atSec: number; pitch: number };
type Frame = { atSec: number; lengthSec: number };

async function readPictures(source: readonly string[], bits: number): Promise<Picture[]> {
  // Scales the frame to four rows with one grey value per block. Rows 1 to 3 show the flash, and row 2 is free of
  // edges. Row 4 shows the number.
  const show = `crop=iw:ih*0.4:0:ih*0.5,scale=${bits}:4:flags=area,format=gray,showinfo`;
  const { stdout, stderr } = await decode([
    ...source,
    ...['-map', '0:v:0', '-vf', show, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'],
  ]);
  const bytes = bits * 4;
  const times = [...stderr.matchAll(/ n: *\d+ pts: *\S+ pts_time:(-?[\d.]+)/g)].map(([, sec]) => Number(sec));
  return times.map((atSec, index) => {
    const levels = stdout.subarray(index * bytes, (index + 1) * bytes);
    const flash = levels.subarray(bits, 2 * bits).reduce((sum, level) => sum + level, 0) / bits;
    const number = levels.subarray(3 * bits).reduce((sum, level, bit) => sum + (level > 127 ? 2 ** bit : 0), 0);
    return { atSec, number, isFlash: flash > FLASH_LEVEL };
  });
}

async function readSound(source: readonly string[]): Promise<{ beeps: Beep[]; frames: Frame[] }> {
  const show = `aformat=sample_fmts=s16:channel_layouts=mono:sample_rates=${SAMPLE_RATE_HZ},ashowinfo`;
  const { stdout, stderr } = await decode([
    ...source,
    ...['-map', '0:a:0', '-af', show, '-c:a', 'pcm_s16le', '-f', 's16le', '-'],
  ]);
  const samples = new Int16Array(stdout.buffer, stdout.byteOffset, Math.floor(stdout.length / 2));
  const shown = [...stderr.matchAll(/ n:\d+ pts:\S+ pts_time:(-?[\d.]+).* nb_samples:(\d+)/g)];
  const frames = shown.map(([, sec, count]) => ({ atSec: Number(sec), lengthSec: Number(count) / SAMPLE_RATE_HZ }));
  return { beeps: beepsOf(samples, frames), frames };
}

/** Runs ffmpeg and returns its output. Pipes suffice: 16 bits per audio sample and 64 bytes per frame. */
async function decode(argv: readonly string[]): Promise<{ stdout: Buffer; stderr: string }> {
  const options = { encoding: 'buffer', maxBuffer: 2 ** 30, timeout: DECODE_MS, killSignal: 'SIGKILL' } as const;
  const { stdout, stderr } = await execute('ffmpeg', argv, options);
  return { stdout, stderr: stderr.toString() };
}

function flashesOf(pictures: readonly Picture[]): Picture[] {
  return pictures.filter(({ isFlash }, index) => isFlash && pictures[index - 1]?.isFlash !== true);
}

/** Finds where the audio gets loud after silence, timed by the audio frame with that sample. */
function beepsOf(samples: Int16Array, frames: readonly Frame[]): Beep[] {
  const timeOf = createClock(frames);
  const beeps: Beep[] = [];
  let quiet = Number.POSITIVE_INFINITY;
  for (let at = 0; at + WINDOW <= samples.length; at += WINDOW / 4) {
    if (loudness(samples, at) < BEEP_LEVEL) {
      quiet += WINDOW / 4;
      continue;
    }
    if (quiet >= QUIET_BEFORE_SEC * SAMPLE_RATE_HZ)
      beeps.push({ atSec: timeOf(onset(samples, at)), pitch: pitchAt(samples, at) });
    quiet = 0;
  }
  return beeps;
}

/** Returns the index of the first sample in a window that exceeds a fifth of a beep's amplitude. */
function onset(samples: Int16Array, from: number): number {
  const found = samples.subarray(from, from + WINDOW).findIndex((sample) => Math.abs(sample) > 0.1 * 32_768);
  return from + Math.max(0, found);
}

function loudness(samples: Int16Array, from: number): number {
  const power = samples.subarray(from, from + WINDOW).reduce((sum, sample) => sum + (sample / 32_768) ** 2, 0);
  return Math.sqrt(power / WINDOW);
}

/** Counts zero crossings in 40 ms within the beep. */
function pitchAt(samples: Int16Array, from: number): number {
  const length = 0.04 * SAMPLE_RATE_HZ;
  const within = samples.subarray(from + WINDOW, from + WINDOW + length);
  const crossings = within.reduce(
    (sum, sample, index) => sum + (index > 0 && sample >= 0 !== (within[index - 1] ?? 0) >= 0 ? 1 : 0),
    0,
  );
  const hz = (crossings * SAMPLE_RATE_HZ) / (2 * length);
  return Math.round((hz - FIRST_PITCH_HZ) / PITCH_STEP_HZ);
}

/** Returns a function that converts a sample to the time of its audio frame. It must be called with rising samples. */
function createClock(frames: readonly Frame[]): (sample: number) => number {
  let first = 0;
  let at = 0;
  return (sample) => {
    for (let frame = frames[at]; frame !== undefined; frame = frames[at]) {
      const count = Math.round(frame.lengthSec * SAMPLE_RATE_HZ);
      if (sample < first + count) return frame.atSec + (sample - first) / SAMPLE_RATE_HZ;
      first += count;
      at += 1;
    }
    throw new Error(`Expected a time for each sample, got none for sample ${sample}.`);
  };
}

type Pairs = Pick<AvSync, 'points' | 'silentFlashesSec' | 'darkBeepsSec'>;

/** Pairs flashes and beeps, the closest ones first. */
function pair(flashes: readonly Beep[], beeps: readonly Beep[], pitches: boolean): Pairs {
  const reachSec = pitches ? PITCHES / 2 : 0.5;
  const pairs = flashes.flatMap((flash) =>
    beeps
      .filter(({ atSec, pitch }) => Math.abs(atSec - flash.atSec) <= reachSec && (!pitches || pitch === flash.pitch))
      .map((beep) => ({ flash, beep, offsetMs: (beep.atSec - flash.atSec) * 1000 })),
  );
  const joined = new Set<Beep>();
  const points: SyncPoint[] = [];
  for (const { flash, beep, offsetMs } of pairs.toSorted((a, b) => Math.abs(a.offsetMs) - Math.abs(b.offsetMs))) {
    if (joined.has(flash) || joined.has(beep)) continue;
    joined.add(flash).add(beep);
    points.push({ atSec: flash.atSec, offsetMs });
  }
  const left = (list: readonly Beep[]) => list.filter((one) => !joined.has(one)).map(({ atSec }) => atSec);
  return {
    points: points.toSorted((a, b) => a.atSec - b.atSec),
    silentFlashesSec: left(flashes),
    darkBeepsSec: left(beeps),
  };
}

function holesOf(frames: readonly Frame[]): Hole[] {
  return frames.flatMap(({ atSec, lengthSec }, index) => {
    const next = frames[index + 1];
    if (next === undefined || next.atSec - atSec - lengthSec <= MAX_HOLE_SEC) return [];
    return [{ fromSec: atSec + lengthSec, toSec: next.atSec }];
  });
}
