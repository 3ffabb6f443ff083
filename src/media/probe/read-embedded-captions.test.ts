import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { factsOf, makeClip, makeFolder } from '../../../test/support/media/run-clip.ts';
import { readEmbeddedCaptions } from './read-embedded-captions.ts';

let dir = '';
let remove = async () => {};
beforeAll(async () => {
  ({ dir, remove } = await makeFolder());
});
afterAll(() => remove());

/** "HI" in CEA-608, with parity. */
const TEXT = [0xfc, 0xc8, 0x49];
const EMPTY = [0xfc, 0x80, 0x80];

/** Returns an SEI message with one caption of a frame (ATSC A/72 part 1 section 6.4.2). */
function writeSei(triplet: readonly number[]): Buffer {
  const payload = [0xb5, 0x00, 0x31, ...Buffer.from('GA94'), 0x03, 0xc1, 0xff, ...triplet, 0xff];
  return Buffer.from([0, 0, 0, 1, 6, 4, payload.length, ...payload, 0x80]);
}

/** Creates a file of H.264 whose frames each follow an SEI message. */
async function makeCaptioned(name: string, triplet: readonly number[]): Promise<string> {
  const source = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:r=10:d=2'];
  const codec = ['-c:v', 'libx264', '-bf', '0', '-pix_fmt', 'yuv420p', '-x264-params', 'sliced-threads=0:aud=1'];
  const plain = await readFile(await makeClip(dir, `${name}.h264`, [...source, ...codec]));
  const delimiter = Buffer.from([0, 0, 0, 1, 9]);
  const parts: Buffer[] = [];
  for (let at = 0; at !== -1; ) {
    const next = plain.indexOf(delimiter, at + 1);
    const frame = plain.subarray(at, next === -1 ? undefined : next);
    // The delimiter is the first unit of a frame: 6 bytes.
    parts.push(frame.subarray(0, 6), writeSei(triplet), frame.subarray(6));
    at = next;
  }
  const captioned = `${dir}/${name}.captioned.h264`;
  await writeFile(captioned, Buffer.concat(parts));
  return makeClip(dir, name, ['-fflags', '+genpts', '-r', '10', '-i', captioned, '-c', 'copy']);
}

test.each(['captions.mp4', 'captions.ts', 'captions.mkv'])('reports the captions in the frames of %s', async (name) => {
  expect((await factsOf(await makeCaptioned(name, TEXT))).warnings).toEqual([expect.stringContaining('CEA-608')]);
});

test('reports no captions if all are empty', async () => {
  expect((await factsOf(await makeCaptioned('empty.mp4', EMPTY))).warnings).toEqual([]);
});

test('reports no captions if a header of MPEG-TS interrupts empty ones', async () => {
  const data = Buffer.from([...Buffer.from('GA94'), 0x03, 0xc3, 0xff, ...EMPTY, ...EMPTY, ...EMPTY, 0xff]);
  const header = Buffer.from([0x47, 0x41, 0x00, 0x1f]);
  for (let at = 7; at <= data.length; at += 1) {
    const path = `${dir}/interrupted-${at}.ts`;
    await writeFile(path, Buffer.concat([data.subarray(0, at), header, data.subarray(at)]));
    expect(await readEmbeddedCaptions(path)).toEqual([]);
  }
});
