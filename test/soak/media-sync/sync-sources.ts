import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { syncSourceArgv } from '../../support/av-sync.ts';
import { makeClip } from '../../support/media/run-clip.ts';

/**
 * A source with flashes, beeps and numbered frames. `from`: ffmpeg arguments that create it. `original`: ffmpeg
 * arguments of a reference file, for sources that ffmpeg does not decode as players show them.
 */
export type SyncClip = {
  name: string;
  from: readonly string[];
  original?: readonly string[];
  /**
   * ffmpeg arguments for an intermediate file. In `from`, `PART` is its path, and `LIST` is a concat list with twelve
   * copies of it.
   */
  part?: readonly string[];
  rate?: number;
  pitches?: boolean;
  fields?: number;
};

const [PART, LIST, PARTS] = ['PART', 'LIST', 12];

const LENGTH_SEC = 9;
const SIZE = '320x180';

const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-bf', '2', '-g', '60'];
const AAC = ['-c:a', 'aac', '-b:a', '96k'];
const MPEG4 = ['-c:v', 'mpeg4', '-q:v', '5'];
const MPEG2 = ['-c:v', 'mpeg2video', '-q:v', '4'];
const PCM = ['-c:a', 'pcm_s16le'];
const FRAGMENTS = ['-movflags', 'frag_keyframe+empty_moov'];

const source = (rate = 30) => syncSourceArgv({ lengthSec: LENGTH_SEC, rate, size: SIZE });

/** Returns ffmpeg arguments of a source whose audio is shifted by `sec`. */
function moved(sec: number, rate = 30): string[] {
  const [, , , picture = '', , , , sound = ''] = source(rate);
  return ['-f', 'lavfi', '-i', picture, '-itsoffset', `${sec}`, '-f', 'lavfi', '-i', sound];
}

/** Returns ffmpeg arguments of a source whose pictures begin after `sec`. */
function movedPictures(sec: number): string[] {
  return ['-itsoffset', `${sec}`, ...source(), '-fps_mode', 'passthrough'];
}

/** Drops the audio packets for which an expression of their number `n` is true. */
const drop = (expression: string) => ['-bsf:a', `noise=drop='${expression}'`];

/** Shifts packets by an expression of their time `T`, in seconds. */
const shift = (expression: string, kind: 'a' | 'v' = 'a') => [
  `-bsf:${kind}`,
  `setts=ts='TS+(${expression.replaceAll('T', '(TS*TB)')})/TB'`,
];

/** Puts the beep into each channel, because a beep in the centre channel alone is quiet after the downmix. */
const SURROUND = 'pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0';

/** Interlaces two successive pictures into one frame. */
const INTERLACED = ['-vf', 'tinterlace=interleave_top,setfield=tff', '-flags', '+ildct+ilme'];

/** Interlaced sources are shown at their frame rate, with the first field of each frame. */
const FIRST_FIELDS = [...source(50), '-vf', "select='not(mod(n,2))'", '-r', '25', ...H264, ...AAC];

const CONTAINERS: readonly SyncClip[] = [
  { name: 'H.264 and AAC.mp4', from: [...source(), ...H264, ...AAC] },
  { name: 'stereo, copied.mp4', from: [...source(), ...H264, ...AAC, '-ac', '2'] },
  { name: 'H.264 and AAC.mkv', from: [...source(), ...H264, ...AAC] },
  { name: 'H.264 and AAC.ts', from: [...source(), ...H264, ...AAC] },
  { name: 'H.264 and AAC.flv', from: [...source(), ...H264, ...AAC, '-ar', '44100'] },
  { name: 'B-frames in fragments.mp4', from: [...source(), ...H264, ...AAC, ...FRAGMENTS] },
  { name: 'copied from fragments.mp4', from: [...source(), ...H264, ...AAC, '-ac', '2', ...FRAGMENTS] },
  { name: 'MPEG-4 and MP3.avi', from: [...source(), ...MPEG4, '-c:a', 'libmp3lame'] },
  { name: 'MP3 of 44.1 kHz.mp4', from: [...source(), ...H264, '-c:a', 'libmp3lame', '-ar', '44100'] },
  { name: 'PCM.mov', from: [...source(), ...H264, ...PCM] },
  { name: 'ProRes and PCM.mov', from: [...source(), '-c:v', 'prores_ks', '-profile:v', '0', ...PCM] },
  { name: 'VP8 and Opus.webm', from: [...source(), '-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'] },
  {
    name: 'VP9 and Vorbis.webm',
    from: [
      ...source(),
      '-c:v',
      'libvpx-vp9',
      '-deadline',
      'realtime',
      '-cpu-used',
      '8',
      '-c:a',
      'libvorbis',
      '-ac',
      '2',
    ],
  },
  {
    name: 'HEVC and AC-3.mp4',
    from: [...source(), '-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-c:a', 'ac3'],
  },
  { name: 'MPEG-2 and MP2.mpg', from: [...source(25), ...MPEG2, '-c:a', 'mp2'], rate: 25 },
  { name: 'MPEG-2 and AC-3.ts', from: [...source(25), ...MPEG2, '-bf', '2', '-c:a', 'ac3'], rate: 25 },
  {
    name: 'Theora and Vorbis.ogv',
    from: [...source(), '-c:v', 'libtheora', '-q:v', '7', '-c:a', 'libvorbis', '-ac', '2'],
  },
  { name: 'WMV and WMA.wmv', from: [...source(), '-c:v', 'wmv2', '-q:v', '4', '-c:a', 'wmav2'] },
  { name: '5.1.mkv', from: [...source(), ...H264, '-c:a', 'ac3', '-af', SURROUND] },
  { name: '8 kHz.avi', from: [...source(), ...MPEG4, ...PCM, '-ar', '8000'] },
];

const VP9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-auto-alt-ref', '0'];
const X265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-tag:v', 'hvc1'];
/** Interlaces two successive pictures into one frame of DV. */
const DV = ['-vf', 'tinterlace=interleave_bottom,setfield=bff', '-r', '25', '-c:v', 'dvvideo', '-pix_fmt', 'yuv420p'];
const large = (rate: number, size: string) => syncSourceArgv({ lengthSec: LENGTH_SEC, rate, size });
const pixels = (format: string) => ['-pix_fmt', format];

const FORMATS: readonly SyncClip[] = [
  {
    name: 'ProRes 4444 with alpha.mov',
    from: [...source(), '-c:v', 'prores_ks', '-profile:v', '4', ...pixels('yuva444p10le'), ...PCM],
  },
  { name: 'VP9 with alpha.webm', from: [...source(), ...VP9, ...pixels('yuva420p'), '-c:a', 'libopus'] },
  { name: 'PNG with alpha.mov', from: [...source(), '-c:v', 'png', ...pixels('rgba'), ...PCM] },
  { name: 'QuickTime Animation with alpha.mov', from: [...source(), '-c:v', 'qtrle', ...pixels('argb'), ...PCM] },
  { name: 'Motion JPEG of full range.mov', from: [...source(), '-c:v', 'mjpeg', ...pixels('yuvj422p'), ...PCM] },
  { name: 'H.264 4:2:2.mp4', from: [...source(), ...H264, ...pixels('yuv422p'), ...AAC] },
  { name: 'H.264 4:4:4 of full range.mp4', from: [...source(), ...H264, ...pixels('yuvj444p'), ...AAC] },
  { name: 'H.264 of 10 bits.mp4', from: [...source(), ...H264, ...pixels('yuv420p10le'), ...AAC] },
  { name: 'H.264 in grey.mp4', from: [...source(), ...H264, ...pixels('gray'), ...AAC] },
  { name: 'HEVC 4:2:2 of 10 bits.mp4', from: [...source(), ...X265, ...pixels('yuv422p10le'), ...AAC] },
  { name: 'HEVC 4:4:4 of 12 bits.mp4', from: [...source(), ...X265, ...pixels('yuv444p12le'), ...AAC] },
  { name: 'B-frames and MP3.avi', from: [...source(), ...MPEG4, '-bf', '2', '-vtag', 'DX50', '-c:a', 'libmp3lame'] },
  { name: 'MP3 of variable rate.avi', from: [...source(), ...MPEG4, '-c:a', 'libmp3lame', '-q:a', '4'] },
  { name: 'DV.avi', from: [...large(50, '720x576'), ...DV, ...PCM, '-ac', '2'], rate: 50, fields: 2 },
  { name: '641x361.webm', from: [...large(30, '641x361'), ...VP9, '-c:a', 'libopus'] },
  { name: '641x361 of 4:4:4.mp4', from: [...large(30, '641x361'), ...H264, ...pixels('yuv444p'), ...AAC] },
  { name: 'without durations and cues.mkv', from: [...source(), ...H264, ...AAC, '-live', '1'] },
  { name: 'pictures begin after 3 s, edit list.mp4', from: [...movedPictures(3), ...H264, ...AAC] },
  {
    name: 'pictures begin after 3 s, edit list.mov',
    from: [...movedPictures(3), '-c:v', 'prores_ks', '-profile:v', '0', ...PCM],
  },
];

const TIMES: readonly SyncClip[] = [
  { name: 'one packet of 25 lost.mp4', from: [...source(), ...H264, ...AAC, ...drop('not(mod(n+1,25))')] },
  {
    name: 'copied, one packet of 25 lost.mp4',
    from: [...source(), ...H264, ...AAC, '-ac', '2', ...drop('not(mod(n+1,25))')],
  },
  { name: 'one packet of 9 lost.mkv', from: [...source(), ...MPEG4, ...AAC, ...drop('not(mod(n+8,9))')] },
  { name: 'sound 13 ms late.ts', from: [...moved(0.013, 25), ...H264, ...AAC], rate: 25 },
  { name: 'sound 45 ms late at 10 a second.mkv', from: [...moved(0.045, 10), ...MPEG4, ...AAC], rate: 10 },
  { name: 'sound 17 ms early.mp4', from: [...moved(-0.017, 24), ...H264, ...AAC], rate: 24 },
  { name: 'sound 180 ms late, edit list.mov', from: [...moved(0.18), ...H264, ...AAC, '-ac', '2'] },
  { name: 'sound 250 ms early.mkv', from: [...moved(-0.25), ...H264, ...AAC] },
  { name: 'sound begins after 3 s.mp4', from: [...source(), ...H264, ...AAC, '-bsf:a', "noise=drop='lt(n,140)'"] },
  { name: 'sound ends after 6 s.mkv', from: [...source(), ...H264, ...AAC, '-bsf:a', "noise=drop='gt(n,281)'"] },
  { name: 'sound away for 2 s.mp4', from: [...source(), ...H264, ...AAC, ...drop('between(n,164,257)')] },
  { name: 'clock begins at 100 s.ts', from: [...source(), ...H264, ...AAC, '-output_ts_offset', '100'] },
  {
    name: 'gaps of 12 and 70 ms.mkv',
    from: [...source(), ...MPEG4, ...PCM, ...shift('0.012*floor(T/1.4)+0.07*floor(T/3.6)')],
  },
  { name: 'overlaps of 12 ms.mkv', from: [...source(), ...MPEG4, ...PCM, ...shift('-0.012*floor(T/1.4)')] },
  { name: 'jitter of 10 ms.mkv', from: [...source(), ...MPEG4, ...PCM, ...shift('0.01*sin(37*T*T)')] },
];

const RATES: readonly SyncClip[] = [
  {
    name: '23.976 a second.mp4',
    from: [...source(24), '-vf', 'setpts=N*1001/24000/TB', '-r', '24000/1001', ...H264, ...AAC],
    rate: 24,
  },
  { name: '50 a second.mp4', from: [...source(50), ...H264, ...AAC], rate: 50 },
  { name: '60 a second.mkv', from: [...source(60), ...MPEG4, ...AAC], rate: 60 },
  {
    name: 'variable rate.mp4',
    from: [...source(), '-vf', "select='lt(mod(n,30),20)'", '-fps_mode', 'vfr', ...H264, ...AAC],
  },
  {
    name: 'variable rate.mkv',
    from: [...source(), '-vf', "select='lt(mod(n,30),3)+not(mod(n,3))'", '-fps_mode', 'vfr', ...H264, ...AAC],
  },
  {
    name: 'pictures that jitter by 9 ms.mp4',
    from: [
      ...source(),
      '-vf',
      "setpts='(N/30+0.009*sin(N*N))/TB'",
      '-fps_mode',
      'vfr',
      '-video_track_timescale',
      '90000',
      ...H264,
      ...AAC,
    ],
  },
  {
    name: 'interlaced.ts',
    from: [...source(50), ...INTERLACED, ...MPEG2, '-r', '25', '-c:a', 'mp2'],
    original: FIRST_FIELDS,
    rate: 50,
    fields: 2,
  },
  {
    name: 'interlaced H.264.mp4',
    from: [...source(50), ...INTERLACED, ...H264, '-r', '25', ...AAC],
    original: FIRST_FIELDS,
    rate: 50,
    fields: 2,
  },
  {
    name: 'rotated by 90 degrees.mp4',
    part: [...source(), '-vf', 'transpose=2', ...H264, ...AAC],
    from: ['-i', PART, '-c', 'copy', '-metadata:s:v:0', 'rotate=270'],
    original: [...source(), ...H264, ...AAC],
  },
];

const DERIVED: readonly SyncClip[] = [
  {
    name: 'clips with 16 ms more sound joined.mp4',
    part: [...syncSourceArgv({ lengthSec: 2, size: SIZE }), ...H264, ...AAC, '-af', 'apad=pad_dur=0.016'],
    from: ['-f', 'concat', '-safe', '0', '-i', LIST, '-c', 'copy'],
    pitches: false,
  },
  {
    name: 'cut without encoding, edit list.mp4',
    part: [...source(), ...H264, ...AAC, '-ac', '2'],
    from: ['-ss', '1.3', '-i', PART, '-c', 'copy'],
  },
];

const STUDIO: readonly SyncClip[] = [
  { name: 'MPEG-2 and PCM.mxf', from: [...source(25), ...MPEG2, '-bf', '2', ...PCM], rate: 25 },
  {
    name: 'timecode and 96 kHz.mov',
    from: [...source(), ...H264, '-c:a', 'pcm_s24le', '-ar', '96000', '-timecode', '01:00:00:00'],
  },
  { name: 'E-AC-3.mp4', from: [...source(), ...H264, '-c:a', 'eac3'] },
  { name: 'DTS.mkv', from: [...source(), ...H264, '-c:a', 'dca', '-strict', '-2'] },
  { name: 'TrueHD.mkv', from: [...source(), ...H264, '-c:a', 'truehd', '-strict', '-2'] },
  { name: 'ADPCM of 22 kHz.avi', from: [...source(), ...MPEG4, '-c:a', 'adpcm_ms', '-ar', '22050'] },
  { name: 'clock wraps.ts', from: [...source(), ...H264, ...AAC, '-output_ts_offset', '95440'] },
  {
    name: 'begins within a GOP.ts',
    from: [...source(), ...H264, '-g', '45', ...AAC, '-bsf:v', "noise=drop='lt(n,20)'"],
  },
  { name: '120 a second.mp4', from: [...source(120), ...H264, ...AAC], rate: 120 },
  { name: '10 a second.mp4', from: [...source(10), ...H264, ...AAC], rate: 10 },
];

export const SYNC_CLIPS: readonly SyncClip[] = [...CONTAINERS, ...FORMATS, ...TIMES, ...RATES, ...DERIVED, ...STUDIO];

/** Creates the file of a source, and the reference file for the comparison. */
export async function makeSyncFiles(
  folder: string,
  { name, from, original, part }: SyncClip,
): Promise<{ file: string; shown: string }> {
  const stem = name.replaceAll(/[^a-zA-Z0-9]+/g, '-');
  const [partFile, list] = [path.join(folder, `${stem}.part.mp4`), path.join(folder, `${stem}.txt`)];
  if (part !== undefined) await makeClip(folder, path.basename(partFile), part);
  await writeFile(list, `file '${partFile}'\n`.repeat(PARTS));
  const places: Record<string, string> = { [PART]: partFile, [LIST]: list };
  const argv = from.map((word) => places[word] ?? word);
  const file = await makeClip(folder, `${stem}.${name.split('.').at(-1)}`, argv);
  const shown = original === undefined ? file : await makeClip(folder, `${stem}.original.mp4`, original);
  return { file, shown };
}
