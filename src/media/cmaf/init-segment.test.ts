import fc from 'fast-check';
import { BufferSource, Input, MP4 } from 'mediabunny';
import { createFile, MP4BoxBuffer } from 'mp4box';
import { describe, expect, test } from 'vitest';
import { encode, FRAGMENTED, h264Args, runTool, splitStream } from '../../../test/support/media/read-test-media.ts';
import { writeFragment } from '../../../test/support/media/write-fragment.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import { normaliseInit, readInitSegment } from './init-segment.ts';

const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=24:d=0.25'];
const sound = ['-f', 'lavfi', '-i', 'sine=r=44100:d=0.3', '-ar', '48000'];
const rate = { num: 24, den: 1 };

const encodes = [
  { name: 'H.264', args: h264Args(rate, 0, 6, 6), codec: /^avc1\.64[0-9a-f]{2}[0-9a-f]{2}$/ },
  {
    name: 'HEVC',
    args: [...picture, '-c:v', 'libx265', '-x265-params', 'log-level=none'],
    codec: /^hev1\.1\.6\.L30\.90$/,
  },
  {
    name: 'HEVC hvc1',
    args: [...picture, '-c:v', 'libx265', '-x265-params', 'log-level=none', '-tag:v', 'hvc1'],
    codec: /^hvc1\.1\.6\.L30\.90$/,
  },
  {
    name: 'VP9',
    args: [...picture, '-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8'],
    codec: /^vp09\.00\.10\.08$/,
  },
  {
    name: 'VP9 10 bit',
    args: [...picture, '-pix_fmt', 'yuv420p10', '-c:v', 'libvpx-vp9', '-deadline', 'realtime'],
    codec: /^vp09\.02\.10\.10$/,
  },
  { name: 'AV1', args: [...picture, '-c:v', 'libsvtav1', '-preset', '12'], codec: /^av01\.0\.00M\.08$/ },
  {
    name: 'AV1 10 bit',
    args: [...picture, '-pix_fmt', 'yuv420p10', '-c:v', 'libsvtav1', '-preset', '12'],
    codec: /^av01\.0\.00M\.10$/,
  },
  { name: 'AAC', args: [...sound, '-ac', '2', '-c:a', 'aac'], codec: /^mp4a\.40\.2$/ },
  { name: 'AAC, one channel', args: [...sound, '-ac', '1', '-c:a', 'aac'], codec: /^mp4a\.40\.2$/, channels: 1 },
  { name: 'AAC of 5.1', args: [...sound, '-ac', '6', '-c:a', 'aac'], codec: /^mp4a\.40\.2$/, channels: 6 },
  { name: 'MP3', args: [...sound, '-ac', '2', '-c:a', 'libmp3lame'], codec: /^mp4a\.6b$/ },
  { name: 'Opus', args: [...sound, '-ac', '2', '-c:a', 'libopus'], codec: /^opus$/ },
];

describe.each(encodes)('an init segment of $name', ({ args, codec, channels = 2 }) => {
  const stream = encode([...args, ...(args.includes('-movflags') ? [] : FRAGMENTED)]);

  test('has the expected codec string, timescale and size', async () => {
    const facts = readInitSegment(splitStream(await stream).init);
    expect(facts.codecString).toMatch(codec);
    expect(facts.trackId).toBe(1);
    if (facts.handler === 'video') expect([facts.widthPx, facts.heightPx]).toEqual([160, 90]);
    else expect([facts.channels, facts.sampleRateHz, facts.timescale]).toEqual([channels, 48000, 48000]);
  });

  test('keeps its properties when normalised, opens in ffmpeg and is idempotent', async () => {
    const { init, fragments } = splitStream(await stream);
    const normal = normaliseInit(init);
    const { sampleDefaults, delayTicks, ...facts } = readInitSegment(normal);
    expect(delayTicks).toBe(Math.round(0.2 * facts.timescale));
    expect(readInitSegment(init)).toMatchObject(facts);
    expect(sampleDefaults).toEqual({ durationTicks: 0, sizeBytes: 0, flags: 0 });
    expect(normaliseInit(normal)).toEqual(normal);
    const file = Buffer.concat([normal, ...fragments.map((it) => writeFragment({ ...it, trackId: 1 }, it.payload))]);
    const { stderr } = await runTool('ffmpeg', ['-v', 'warning', '-i', 'pipe:0', '-f', 'null', '-'], file);
    expect(stderr).toBe('');
  });
});

describe('normalised init segments', () => {
  test('are equal for runs with different starts, durations, dates or tags', async () => {
    const tags = [
      '-metadata',
      'creation_time=2024-01-01T00:00:00Z',
      '-metadata',
      'title=x',
      '-metadata:s:v',
      'encoder=y',
    ];
    const runs = [h264Args(rate, 0, 48, 24), h264Args(rate, 480, 24, 24), [...h264Args(rate, 96, 30, 24), ...tags]];
    const inits = await Promise.all(runs.map(async (args) => splitStream(await encode(args)).init));
    expect(new Set(inits.map((init) => init.toString('hex'))).size).toBeGreaterThan(1);
    expect(new Set(inits.map((init) => normaliseInit(init).toString('hex'))).size).toBe(1);
  });

  test('differ if the codec configuration differs', async () => {
    const runs = [h264Args(rate, 0, 12, 12), [...h264Args(rate, 0, 12, 12), '-bf', '0', '-refs', '1']];
    const inits = await Promise.all(runs.map(async (args) => normaliseInit(splitStream(await encode(args)).init)));
    expect(new Set(inits.map((init) => init.toString('hex'))).size).toBe(2);
  });

  test('are readable by mediabunny and mp4box', async () => {
    const { init, fragments } = splitStream(await encode(h264Args(rate, 0, 30, 24)));
    const file = Buffer.concat([normaliseInit(init), ...fragments.map((it) => writeFragment(it, it.payload))]);
    const input = new Input({ formats: [MP4], source: new BufferSource(file) });
    const track = await input.getPrimaryVideoTrack();
    expect(await track?.getCodecParameterString()).toBe(readInitSegment(init).codecString);
    expect((await track?.computePacketStats())?.packetCount).toBe(30);
    const boxes = createFile();
    boxes.appendBuffer(MP4BoxBuffer.fromArrayBuffer(Uint8Array.from(file).buffer, 0));
    boxes.flush();
    expect(boxes.getInfo().videoTracks.map((it) => [it.codec, it.nb_samples])).toEqual([
      [readInitSegment(init).codecString, 30],
    ]);
  });

  test('return properties or throw BrokenMedia for damaged bytes', async () => {
    const all = await Promise.all(
      [encodes[0], encodes[7]].map(async (it) => splitStream(await encode([...(it?.args ?? []), ...FRAGMENTED])).init),
    );
    const edits = fc.array(fc.tuple(fc.nat(800), fc.constantFrom(0, 1, 7, 0x80, 0xff)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...all), edits, fc.nat(800), (init, changes, cutBytes) => {
        const changed = Buffer.from(init.subarray(0, Math.max(init.length - (cutBytes % 2 ? cutBytes : 0), 0)));
        for (const [at, value] of changes) if (at < changed.length) changed[at] = value;
        try {
          normaliseInit(changed);
          expect(readInitSegment(changed).timescale).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(BrokenMedia);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
