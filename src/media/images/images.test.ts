import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Refused } from '../../lib/refused.ts';
import { readImageKind } from './image-kind.ts';
import { readJpegSize } from './jpeg-size.ts';
import { createImageMaker } from './run-image-maker.ts';

const run = promisify(execFile);
const { signal } = new AbortController();
const maker = createImageMaker();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mr-images-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function make(name: string, ...args: string[]): Promise<Buffer> {
  const file = join(folder, name);
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args, file]);
  return readFile(file);
}
const still = (size: string, extra = '') => ['-f', 'lavfi', '-i', `testsrc2=s=${size}${extra}`, '-frames:v', '1'];
const AV1 = ['-pix_fmt', 'yuv420p', '-c:v', 'libaom-av1', '-still-picture', '1', '-cpu-used', '8'];

/** Inserts an EXIF block with an orientation after the first two bytes of a JPEG, in either byte order. */
function withOrientation(jpeg: Buffer, orientation: number, isLittle: boolean): Buffer {
  const tiff = Buffer.alloc(26);
  const word = (value: number, at: number) =>
    isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
  const long = (value: number, at: number) =>
    isLittle ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at);
  tiff.write(isLittle ? 'II' : 'MM', 'latin1');
  word(42, 2);
  long(8, 4);
  word(1, 8);
  word(0x0112, 10);
  word(3, 12);
  long(1, 14);
  word(orientation, 18);
  const head = Buffer.from([0xff, 0xe1, 0, 2 + 6 + tiff.length]);
  return Buffer.concat([jpeg.subarray(0, 2), head, Buffer.from('Exif\0\0'), tiff, jpeg.subarray(2)]);
}

/**
 * Returns the average grey level of each quarter of a JPEG, from 0 to 4: upper left, upper right, lower left, lower
 * right.
 */
async function quarters(jpeg: Buffer): Promise<number[]> {
  const child = run(
    'ffmpeg',
    ['-v', 'error', '-i', 'pipe:0', '-vf', 'scale=2:2:flags=area,format=gray', '-f', 'rawvideo', '-'],
    {
      encoding: 'buffer',
    },
  );
  child.child.stdin?.end(jpeg);
  return [...(await child).stdout].map((value) => Math.round(value / 64));
}

describe('image conversion', () => {
  test.each([
    ['a.png', []],
    ['a.jpg', []],
    ['a.webp', []],
    ['a.avif', AV1],
  ])('%s is converted to a JPEG of at most 1920 pixels with even sides', async (name, codec) => {
    const image = await maker.make(await make(name, ...still('2501x1001'), ...codec), signal);
    expect([image.widthPx, image.heightPx]).toEqual([1920, 768]);
    expect(readJpegSize(image.jpeg)).toEqual({ widthPx: 1920, heightPx: 768 });
  });

  test.each([
    [1, [0, 4, 1, 3]],
    [2, [4, 0, 3, 1]],
    [3, [3, 1, 4, 0]],
    [4, [1, 3, 0, 4]],
    [5, [0, 1, 4, 3]],
    [6, [1, 0, 3, 4]],
    [7, [3, 4, 1, 0]],
    [8, [4, 3, 0, 1]],
  ])('applies EXIF orientation %i', async (orientation, expected) => {
    const grey = 'if(lt(Y,H/2),if(lt(X,W/2),0,255),if(lt(X,W/2),64,190))';
    const graph = `color=s=120x80:c=black,format=gray,geq=lum='${grey}',format=yuvj420p`;
    const jpeg = await make(`turned-${orientation}.jpg`, '-f', 'lavfi', '-i', graph, '-frames:v', '1', '-q:v', '1');
    const turned = withOrientation(jpeg, orientation, orientation % 2 === 0);
    const image = await maker.make(turned, signal);
    expect([image.widthPx, image.heightPx]).toEqual(orientation < 5 ? [120, 80] : [80, 120]);
    expect(await quarters(image.jpeg)).toEqual(expected);
  });
});

describe('files that are not images', () => {
  test.each([
    ['an SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['a GIF', () => make('a.gif', ...still('64x64'))],
    ['an MP4', () => make('a.mp4', ...still('64x64'), '-pix_fmt', 'yuv420p')],
    ['a playlist', () => Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
    ['text', () => Buffer.from('hello, this is text')],
    ['three bytes', () => Buffer.from([0xff, 0xd8, 0xff])],
    ['only a header', () => Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['half a PNG', async () => (await make('half.png', ...still('640x360'))).subarray(0, 900)],
    ['a JPEG without images', () => Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(200)])],
    ['an AVIF brand without an image', () => Buffer.from('\0\0\0\x14ftypavif\0\0\0\0avif')],
    ['an image of 100 megapixels', () => make('huge.png', ...still('10000x10000'), '-pred', 'none')],
  ])('%s is refused with a message that lists the accepted formats', async (_, bytes) => {
    const made = maker.make(Buffer.from(await bytes()), signal);
    await expect(made).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/^Expected .* Send /s),
    });
  });

  test('rejects requests above the queue limit, and completes accepted ones without leaving files', async () => {
    vi.stubEnv('TMPDIR', await mkdtemp(join(folder, 'temporary-')));
    const small = createImageMaker({ atOnce: 1, waiting: 1 });
    const png = await make('small.png', ...still('64x64'));
    const all = await Promise.allSettled([small.make(png, signal), small.make(png, signal), small.make(png, signal)]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    const refused = all[2]?.status === 'rejected' ? all[2].reason : null;
    expect(refused).toBeInstanceOf(Refused);
    expect(refused).toMatchObject({ kind: 'busy' });
    await expect(small.make(png, signal)).resolves.toMatchObject({ widthPx: 64 });
    expect(await readdir(tmpdir())).toEqual([]);
    vi.unstubAllEnvs();
  });

  test('an abort by the caller kills the process', async () => {
    const gone = new AbortController();
    const png = await make('gone.png', ...still('640x360'));
    gone.abort(new Error('gone'));
    await expect(maker.make(png, gone.signal)).rejects.toThrow('gone');
    await expect(maker.make(png, signal)).resolves.toMatchObject({ widthPx: 640 });
  });
});

test('recognises a format by the first bytes alone', async () => {
  expect(readImageKind(await make('kind.png', ...still('16x16')))).toBe('png');
  expect(readImageKind(Buffer.from('\0\0\0\x18ftypmif1\0\0\0\0miafavif'))).toBe('avif');
  expect(readImageKind(Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42'))).toBeNull();
  expect(readImageKind(Buffer.alloc(4))).toBeNull();
});
