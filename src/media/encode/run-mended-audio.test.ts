import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeRaw, factsOf, forever, makeClip, makeFolder } from '../../../test/support/media/run-clip.ts';
import { runMendedAudio } from './run-mended-audio.ts';

let dir = '';
let remove = async () => {};
beforeAll(async () => {
  ({ dir, remove } = await makeFolder());
});
afterAll(() => remove());

const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=s=64x64:r=25:d=3'];
const HALF = 24_000;

async function mend(path: string): Promise<{ levels: number[]; lostSec: number }> {
  const facts = await factsOf(path);
  const [track] = facts.audio;
  if (track === undefined) throw new Error('Expected audio.');
  const sound = { durationSec: facts.durationSec, originSec: facts.startSec, gainDb: 0 };
  const { run, lostSec } = await runMendedAudio({ track, audio: sound }, { sourcePath: path }, forever);
  const [aac = Buffer.alloc(0)] = await Promise.all(run.outputs.map((output) => buffer(output)));
  await run.done;
  const bytes = await decodeRaw(aac, 'a');
  const samples = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const loudest = (half: number) =>
    samples.slice(half * HALF, (half + 1) * HALF).reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  return {
    levels: Array.from({ length: Math.floor(samples.length / HALF) }, (_, half) => loudest(half)),
    lostSec: lostSec(),
  };
}

test('encodes all of an AC-3 track that switches from stereo to 5.1', async () => {
  const stereo = [...PICTURE, '-f', 'lavfi', '-i', 'sine=440:d=3', '-c:v', 'mpeg2video', '-c:a', 'ac3', '-ac', '2'];
  const surround = [...PICTURE, '-f', 'lavfi', '-i', 'sine=880:d=3', '-c:v', 'mpeg2video', '-c:a', 'ac3', '-ac', '6'];
  const parts = [await makeClip(dir, 'a.ts', stereo), await makeClip(dir, 'b.ts', surround)];
  const list = join(dir, 'list.txt');
  await writeFile(list, parts.map((part) => `file '${part}'\n`).join(''));
  const path = await makeClip(dir, 'joined.ts', ['-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy']);
  const { levels, lostSec } = await mend(path);
  expect(levels.length).toBeGreaterThanOrEqual(12);
  expect(Math.min(...levels.slice(0, 12))).toBeGreaterThan(0.02);
  expect(lostSec).toBe(0);
});

test('keeps all channels of damaged 5.1 audio', async () => {
  const tones = [300, 0, 0, 0, 900, 0].map((hz) => `0.3*sin(2*PI*${hz}*t)`).join('|');
  const path = await makeClip(dir, 'six.mkv', [...PICTURE, '-f', 'lavfi', '-i', `aevalsrc=exprs='${tones}':c=5.1:d=3`]);
  const facts = await factsOf(path);
  const [track] = facts.audio;
  if (track === undefined) throw new Error('Expected audio.');
  const audio = { durationSec: facts.durationSec, originSec: facts.startSec, gainDb: 0, form: 'surround' as const };
  const { run } = await runMendedAudio({ track, audio }, { sourcePath: path }, forever);
  const [aac = Buffer.alloc(0)] = await Promise.all(run.outputs.map((output) => buffer(output)));
  await run.done;
  const mended = join(dir, 'six.mp4');
  await writeFile(mended, aac);
  const argv = ['-v', 'error', '-i', mended, '-f', 'f32le', '-'];
  const { stdout } = await promisify(execFile)('ffmpeg', argv, { encoding: 'buffer', maxBuffer: 2 ** 24 });
  const samples = new Float32Array(stdout.buffer, stdout.byteOffset, stdout.length / 4);
  const loudest = [0, 0, 0, 0, 0, 0];
  samples.subarray(HALF * 6, HALF * 24).forEach((sample, index) => {
    loudest[index % 6] = Math.max(loudest[index % 6] ?? 0, Math.abs(sample));
  });
  expect(loudest.map((peak) => peak > 0.2)).toEqual([true, false, false, false, true, false]);
});

test('keeps each remaining packet of MP2 audio at its time if packets are missing', async () => {
  const argv = [...PICTURE, '-f', 'lavfi', '-i', 'sine=440:d=3', '-c:v', 'mpeg2video', '-c:a', 'mp2', '-ac', '2'];
  const whole = await readFile(await makeClip(dir, 'whole.ts', argv));
  const packets = Array.from({ length: whole.length / 188 }, (_, index) =>
    whole.subarray(index * 188, (index + 1) * 188),
  );
  const isSound = (packet: Buffer) => (packet.readUInt16BE(1) & 0x1fff) === 0x101;
  // One second in the middle is missing, and every fiftieth packet elsewhere.
  const sounding: Buffer[] = packets.filter(isSound);
  const isLost = (packet: Buffer) => {
    const share = sounding.indexOf(packet) / sounding.length;
    return share >= 0 && ((share > 1 / 3 && share < 2 / 3) || (share > 0.1 && sounding.indexOf(packet) % 50 === 0));
  };
  const path = join(dir, 'lossy.ts');
  await writeFile(path, Buffer.concat(packets.filter((packet) => !isLost(packet))));
  const { levels, lostSec } = await mend(path);
  expect(levels[0]).toBeGreaterThan(0.02);
  expect(levels[5]).toBeGreaterThan(0.02);
  expect(lostSec).toBeGreaterThan(0.9);
  expect(lostSec).toBeLessThan(1.8);
});
