import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../../../../test/support/media/run-clip.ts';
import { faultRounds, faultSeed, seededRandom } from '../../../../test/support/seeded-random.ts';
import { configurationOf } from '../../bmff/sample-entry.ts';
import { readAvcConfiguration } from '../../drm/subsamples/h264-parameter-sets.ts';
import { BitWriter } from '../../nal/bit-writer.ts';
import type { AccessUnit } from './access-unit.ts';
import { splitAnnexB } from './annex-b.ts';
import { GopCloser } from './gop-closer.ts';
import { LeadingFrames } from './leading-frames.ts';
import { NalTrack } from './nal-track.ts';

const run = promisify(execFile);
const RATE = 25;
const START_CODE = Buffer.from([0, 0, 0, 1]);
const DELIMITER = 9;

let folder: { dir: string; remove(): Promise<void> };
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

/** Parameter sets and frames of a stream of open GOPs of 1 s, in decode order. */
type Stream = { file: string; sets: Buffer; sampleEntry: Buffer; units: AccessUnit[] };

async function encode(name: string, settings: string, more: readonly string[] = []): Promise<Stream> {
  const file = path.join(folder.dir, `${name}.mp4`);
  const source = ['-f', 'lavfi', '-i', `testsrc2=s=192x128:r=${RATE}:d=5`];
  const gops = `open-gop=1:scenecut=0:keyint=${RATE}:min-keyint=${RATE}:${settings}`;
  const argv = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', ...more, '-x264-params', gops];
  await run('ffmpeg', ['-v', 'error', '-y', ...source, ...argv, file]);
  const stream = path.join(folder.dir, `${name}.h264`);
  const filter = 'h264_mp4toannexb,h264_metadata=aud=insert';
  await run('ffmpeg', ['-v', 'error', '-y', '-i', file, '-c', 'copy', '-bsf:v', filter, stream]);
  const packets = await run('ffprobe', ['-v', 'error', '-show_entries', 'packet=pts,dts', '-of', 'csv=p=0', file]);
  const times = packets.stdout
    .trim()
    .split('\n')
    .map((line) => line.split(',').map((ticks) => Number(ticks) * (1000 / (RATE * 512))));
  const { stdout } = await run('cat', [stream], { encoding: 'buffer', maxBuffer: 2 ** 26 });
  const nals = splitAnnexB(stdout);
  const track = new NalTrack('h264');
  const found: Stream = { file, sets: Buffer.alloc(0), sampleEntry: Buffer.alloc(0), units: [] };
  const starts = nals.flatMap((nal, index) => ((nal[0] ?? 0) % 32 === DELIMITER ? [index] : []));
  for (const [index, start] of starts.entries()) {
    const picture = track.take(nals.slice(start, starts[index + 1]));
    const [ptsMs = 0, dtsMs = 0] = times[index] ?? [];
    if (picture === null) throw new Error('Expected a frame.');
    if (picture.config !== null) found.sampleEntry = picture.config.sampleEntry;
    found.units.push({ kind: 'video', ptsMs, dtsMs, isKey: picture.isKey, bytes: picture.bytes });
  }
  found.sets = withStartCodes(nals.filter((nal) => [7, 8].includes((nal[0] ?? 0) % 32)).slice(0, 2));
  return found;
}

/** Leaves out the leading frames, and closes the GOPs. */
function close(sampleEntry: Buffer, units: readonly AccessUnit[]): AccessUnit[] {
  const [leading, closer] = [new LeadingFrames(), new GopCloser(sampleEntry)];
  return units.flatMap((unit) => {
    if (!leading.take(unit)) return [closer.take(unit)];
    closer.drop(unit);
    return [];
  });
}

const withStartCodes = (nals: readonly Buffer[]) => Buffer.concat(nals.flatMap((nal) => [START_CODE, nal]));

function toAnnexB(bytes: Buffer): Buffer {
  const nals: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    nals.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return withStartCodes(nals);
}

/** Decodes units, and returns a hash of each frame in the order in which the decoder shows them. */
async function decode(name: string, sets: Buffer, units: readonly AccessUnit[]): Promise<string[]> {
  const file = path.join(folder.dir, `${name}.h264`);
  await writeFile(file, Buffer.concat([sets, ...units.map(({ bytes }) => toAnnexB(bytes))]));
  const strict = ['-v', 'warning', '-err_detect', 'explode', '-f', 'h264', '-i', file];
  const { stdout, stderr } = await run('ffmpeg', [...strict, '-fps_mode', 'passthrough', '-f', 'framemd5', '-']);
  expect(stderr.replaceAll(/^.*(Timestamps are unset|pts has no value|timestamp).*$/gm, '').trim()).toBe('');
  return hashesOf(stdout);
}

const hashesOf = (text: string) => [...text.matchAll(/^0,.*, *([0-9a-f]{32})$/gm)].map(([, hash = '']) => hash);

test.each([
  { name: 'CABAC, pyramid', settings: 'bframes=3:b-pyramid=normal:ref=4:weightp=2' },
  { name: 'CABAC, 7 B-frames', settings: 'bframes=7:b-pyramid=normal:ref=6' },
  { name: 'strict pyramid', settings: 'bframes=3:b-pyramid=strict:ref=3' },
  { name: 'CAVLC', settings: 'bframes=2:cabac=0:b-pyramid=normal' },
  { name: 'slices', settings: 'bframes=3:slices=4:b-pyramid=normal' },
  { name: 'without pyramid', settings: 'bframes=2:b-pyramid=none:ref=1' },
])('decoders can join closed GOPs at each keyframe: $name', async ({ name, settings }) => {
  const { file, sets, sampleEntry, units } = await encode(name, settings);
  const closed = close(sampleEntry, units);
  expect(closed.length).toBeLessThan(units.length);
  const whole = hashesOf((await run('ffmpeg', ['-v', 'error', '-i', file, '-f', 'framemd5', '-'])).stdout);
  const shown = units.toSorted((a, b) => a.ptsMs - b.ptsMs);
  const hashOf = new Map(shown.map(({ ptsMs }, index) => [ptsMs, whole[index] ?? '']));
  const hashes = (list: readonly AccessUnit[]) =>
    list.toSorted((a, b) => a.ptsMs - b.ptsMs).map(({ ptsMs }) => hashOf.get(ptsMs));
  const keys = closed.flatMap(({ isKey }, index) => (isKey ? [index] : []));
  expect(keys).toHaveLength(5);
  for (const key of keys)
    expect(await decode(`${name} ${key}`, sets, closed.slice(key))).toEqual(hashes(closed.slice(key)));
  // A GOP that follows a different one than in the stream.
  const [one = [], , three = []] = keys.map((key, index) => closed.slice(key, keys[index + 1]));
  expect(await decode(`${name} joined`, sets, [...three, ...one])).toEqual([...hashes(three), ...hashes(one)]);
});

const ordinary = () => encode('ordinary', 'bframes=3:slices=2:b-pyramid=normal:ref=4:weightp=2');

const hashesOfBytes = (list: readonly AccessUnit[]) => list.map(({ bytes }) => hash('sha256', bytes));

/** Closes GOPs of a stream, without and with another slice in the third GOP. Indexes are those of the kept frames. */
async function replaceSlice(write: (entry: Buffer) => Buffer | readonly number[]) {
  const { sampleEntry, units } = await ordinary();
  const closed = close(sampleEntry, units);
  const [, , start = 0, nextKey = 0] = closed.flatMap(({ isKey }, index) => (isKey ? [index] : []));
  const replacedAt = start + 4;
  const nal = Buffer.from(write(sampleEntry));
  const bytes = Buffer.concat([Buffer.from([0, 0, 0, nal.length]), nal]);
  const changed = units.map((unit) => (unit.dtsMs === closed[replacedAt]?.dtsMs ? { ...unit, bytes } : unit));
  const result = close(sampleEntry, changed);
  expect(hashesOfBytes(result.slice(0, replacedAt))).toEqual(hashesOfBytes(closed.slice(0, replacedAt)));
  expect(result[replacedAt]?.bytes).toBe(bytes);
  return { closed, result, replacedAt, nextKey, isUnchanged: (unit: AccessUnit) => units.includes(unit) };
}

test.each([
  { name: 'a slice without a header', nal: [0x41] },
  { name: 'an unknown parameter set', nal: [0x41, 0b10011000, 0b10010000] },
  { name: 'a header that ends early', nal: [0x41, 0xff] },
])('a frame with $name ends the closed GOP, and the next GOP is closed again', async ({ nal }) => {
  const { closed, result, replacedAt, nextKey, isUnchanged } = await replaceSlice(() => nal);
  expect(result.slice(replacedAt + 1, nextKey).every(isUnchanged)).toBe(true);
  expect(hashesOfBytes(result.slice(nextKey))).toEqual(hashesOfBytes(closed.slice(nextKey)));
});

test('a stream is unchanged from a reset of frame numbers on', async () => {
  const { result, replacedAt, isUnchanged } = await replaceSlice((entry) => {
    const [sequence] = readAvcConfiguration(configurationOf(entry)).sets.sequences.values();
    if (sequence?.order.type !== 0) throw new Error('Expected frames with a coded order.');
    const writer = new BitWriter();
    // An I slice that starts at the first macroblock and uses the first parameter set.
    for (const value of [0, 7, 0]) writer.ue(value);
    writer.bits(1, sequence.frameNumberBits);
    writer.bits(1, sequence.order.lsbBits);
    writer.bit(1);
    for (const value of [5, 0]) writer.ue(value);
    return Buffer.concat([Buffer.of(0x61), writer.end(1)]);
  });
  expect(result.slice(replacedAt + 1).every(isUnchanged)).toBe(true);
});

test('a stream with damaged parameter sets is unchanged', async () => {
  const { sampleEntry, units } = await ordinary();
  const broken = Buffer.from(sampleEntry);
  const at = broken.indexOf('avcC') + 4;
  broken.fill(0xff, at + 5);
  const leading = new LeadingFrames();
  const kept = units.filter((unit) => !leading.take(unit));
  for (const [index, unit] of close(broken, units).entries()) expect(unit).toBe(kept[index]);
});

test(`any damage leaves frames of whole NAL units (seed ${faultSeed()})`, async () => {
  const { sampleEntry, units } = await ordinary();
  const random = seededRandom(faultSeed());
  for (let round = 0; round < faultRounds(100); round += 1) {
    const damaged = units.map((unit) => {
      if (random.below(4) > 0) return unit;
      const bytes = Buffer.from(unit.bytes);
      for (let flips = 0; flips < 8; flips += 1) {
        const at = random.below(Math.min(bytes.length, 40));
        bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      }
      return { ...unit, bytes: random.below(8) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes };
    });
    const given = new Set(damaged);
    for (const unit of close(sampleEntry, damaged)) if (!given.has(unit)) toAnnexB(unit.bytes);
  }
});
