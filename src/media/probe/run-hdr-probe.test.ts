import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeClip, makeFolder, probe } from '../../../test/support/media/run-clip.ts';
import { writeBox } from '../bmff/boxes.ts';

let dir: string;
let remove: () => Promise<void>;
beforeAll(async () => ({ dir, remove } = await makeFolder()));
afterAll(() => remove());

const PICTURE = ['-f', 'lavfi', '-i', 'testsrc=s=160x96:r=25:d=0.2', '-pix_fmt', 'yuv420p10le', '-tag:v', 'hvc1'];
const HDR10 = 'log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range=limited';
const POINTS = 'G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)';

function makeHevc(name: string, params: string): Promise<string> {
  return makeClip(dir, name, [...PICTURE, '-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', params]);
}

/**
 * Inserts a Dolby Vision configuration ("Dolby Vision Streams Within the ISO BMFF", section 3.1) into the sample entry.
 */
async function addDolbyVision(path: string, dolby: { profile: number; compatibility: number; hasBase: boolean }) {
  const bytes = await readFile(path);
  const flags = (dolby.profile << 9) | (6 << 3) | 0b100 | (dolby.hasBase ? 1 : 0);
  const payload = Buffer.concat([Buffer.of(1, 0, flags >> 8, flags & 255, dolby.compatibility << 4), Buffer.alloc(19)]);
  const box = writeBox(dolby.profile > 7 ? 'dvvC' : 'dvcC', payload);
  const at = bytes.lastIndexOf('hvcC') - 4;
  for (const type of ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd', 'hvc1']) {
    const start = bytes.lastIndexOf(type, at) - 4;
    bytes.writeUInt32BE(bytes.readUInt32BE(start) + box.length, start);
  }
  const made = join(dir, `dolby-${dolby.profile}-${dolby.compatibility}.mp4`);
  await writeFile(made, Buffer.concat([bytes.subarray(0, at), box, bytes.subarray(at)]));
  return made;
}

test('reads mastering display and content light from the first frame and drops impossible values', async () => {
  const stated = `master-display=${POINTS}L(10000000,50):max-cll=1000,400`;
  const good = await probe(await makeHevc('good.mp4', `${HDR10}:${stated}`));
  expect(good).toMatchObject({
    video: {
      hdr: 'pq',
      hdrMetadata: {
        mastering: { red: [34000, 16000], white: [15635, 16450], maxLuminance: 10_000_000, minLuminance: 50 },
        light: { maxContent: 1000, maxAverage: 400 },
      },
    },
  });
  const damaged = `master-display=${POINTS}L(50,1):max-cll=0,0`;
  const bad = await probe(await makeHevc('bad.mp4', `${HDR10}:${damaged}`));
  expect('video' in bad && bad.video?.hdrMetadata).toBe(undefined);
});

test.each([
  { profile: 5, compatibility: 0, hasBase: true },
  { profile: 7, compatibility: 6, hasBase: false },
])('rejects Dolby Vision profile $profile without a playable base layer', async (dolby) => {
  const path = await addDolbyVision(await makeHevc('plain.mp4', HDR10), dolby);
  const fault = await probe(path);
  expect(fault).toMatchObject({ kind: 'undecodable' });
  expect('message' in fault && fault.message).toMatch(/Dolby Vision profile \d.*8\.1 or 8\.4/);
});

test.each([
  { profile: 8, compatibility: 1, hasBase: true, hdr: 'pq' },
  { profile: 8, compatibility: 4, hasBase: true, hdr: 'hlg' },
  { profile: 8, compatibility: 2, hasBase: true, hdr: null },
  { profile: 7, compatibility: 6, hasBase: true, hdr: 'pq' },
])(
  'reads the base layer of Dolby Vision profile $profile, compatibility $compatibility, as $hdr, even without tags',
  async (dolby) => {
    const path = await addDolbyVision(await makeHevc('untagged.mp4', 'log-level=none'), dolby);
    expect(await probe(path)).toMatchObject({ video: { codec: 'hevc', hdr: dolby.hdr } });
  },
);
