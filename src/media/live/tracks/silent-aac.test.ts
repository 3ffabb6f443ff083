import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type LivePart, PartWriter } from '../packaging/part-writer.ts';
import { buildLiveInit } from '../packaging/period-init.ts';
import { aacConfig } from './aac-config.ts';
import { silentAacFrame } from './silent-aac.ts';

const run = promisify(execFile);
const FRAMES = 20;

/** AudioSpecificConfigs and the number of channels that decoders output for them. */
const CONFIGS = [
  { title: 'AAC-LC, mono, 48 kHz', asc: '1188', channels: 1 },
  { title: 'AAC-LC, stereo, 44.1 kHz', asc: '1210', channels: 2 },
  { title: 'AAC-LC, stereo, 22.05 kHz', asc: '1390', channels: 2 },
  { title: 'AAC-LC, 3.0', asc: '1198', channels: 3 },
  { title: 'AAC-LC, 4.0', asc: '11a0', channels: 4 },
  { title: 'AAC-LC, 5.0', asc: '11a8', channels: 5 },
  { title: 'AAC-LC, 5.1', asc: '11b0', channels: 6 },
  { title: 'AAC-LC, 7.1', asc: '11b8', channels: 8 },
  { title: 'HE-AAC, stereo, 24 to 48 kHz', asc: '2b118800', channels: 2 },
  // Written by ffmpeg for the layout 2.1: one SCE, one CPE and one LFE in a program_config_element.
  { title: 'AAC-LC, 2.1 described by a program_config_element', asc: null, channels: 3 },
] as const;

test.each(CONFIGS)('a silent frame decodes to silence: $title', async ({ asc, channels }) => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-silence-'));
  try {
    const config = asc === null ? await describedConfig(folder) : Buffer.from(asc, 'hex');
    const frame = silentAacFrame(config);
    if (frame === null) throw new Error('Expected a frame of silence.');
    const file = join(folder, 'silence.mp4');
    await writeFile(
      file,
      packAac(
        config,
        Array.from({ length: FRAMES }, () => frame),
      ),
    );
    const argv = ['-v', 'error', '-i', file, '-f', 's16le', '-c:a', 'pcm_s16le', '-'];
    const { stdout, stderr } = await run('ffmpeg', argv, { encoding: 'buffer', maxBuffer: 2 ** 26 });
    expect(stderr.toString()).toBe('');
    expect(stdout.length).toBeGreaterThanOrEqual((FRAMES - 1) * 1024 * 2 * channels);
    expect(stdout.every((byte) => byte === 0)).toBe(true);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each(['b98c00', 'f8e85000', '00'])('returns no silent frame for the configuration %s', (asc) => {
  expect(silentAacFrame(Buffer.from(asc, 'hex'))).toBeNull();
});

/** Returns a fragmented MP4 of AAC frames. */
function packAac(asc: Buffer, frames: readonly Buffer[]): Buffer {
  const track = aacConfig(asc);
  const writer = new PartWriter(track, 0);
  const parts: (LivePart | null)[] = frames.flatMap((bytes, index) => {
    const sample = { durationTicks: 1024, sizeBytes: bytes.length, compositionOffsetTicks: 0, isSync: true, bytes };
    return writer.add(index * 1024, sample);
  });
  const fragments = [...parts, writer.endPart()].flatMap((part) => (part === null ? [] : [part.fragment]));
  return Buffer.concat([buildLiveInit(track).init, ...fragments.flatMap(({ head, payload }) => [head, payload])]);
}

/**
 * Returns the AudioSpecificConfig that ffmpeg writes for a layout without a channel configuration number, read from the
 * esds of an MP4 file.
 */
async function describedConfig(folder: string): Promise<Buffer> {
  const file = join(folder, 'described.mp4');
  const source = ['-f', 'lavfi', '-i', 'anullsrc=channel_layout=2.1:sample_rate=48000', '-t', '0.2'];
  await run('ffmpeg', ['-v', 'error', ...source, '-c:a', 'aac', file]);
  const { stdout } = await run('ffprobe', ['-v', 'error', '-show_data', '-show_streams', file]);
  const hex = [...stdout.matchAll(/^[0-9a-f]{8}: ([0-9a-f ]+?) {2}/gm)].map(([, bytes = '']) =>
    bytes.replaceAll(' ', ''),
  );
  return Buffer.from(hex.join(''), 'hex');
}
