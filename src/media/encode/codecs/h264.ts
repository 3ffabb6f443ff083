import { toNumber } from '../../probe/frame-rate.ts';
import { type EncoderJob, pixelFormat, type VideoCodec } from './video-codec.ts';

/**
 * H.264 with libx264, capped quality with a two-second buffer under the rung's cap: `faster` with one reference frame
 * at CRF 23.9, which needs 5 to 8 % fewer bits than `veryfast` for 1.3 to 1.4 times its processor time, or `veryfast`
 * at CRF 23 if a viewer waits. Both write the same parameter sets, which contain the integer part of the CRF, so their
 * segments may follow each other (decision 321). 8-bit 4:2:0, High profile, the lowest level (H.264 table A-1) that
 * allows size, rate and bit rate.
 */
export const h264: VideoCodec = {
  name: 'h264',
  wireName: 'x264',
  wireNumber: 0,
  // No browser plays 10-bit H.264.
  keepsHdr: false,
  minSidePx: 2,
  forcesKeyframes: true,
  encoderArgv(job) {
    const { rung, gopFrames, threads, isAwaited } = job;
    const [preset, crf] = isAwaited === true ? ['veryfast', '23'] : ['faster', '23.9'];
    return [
      ...['-c:v', 'libx264', '-preset', preset, '-refs', '1', '-profile:v', 'high', '-level:v', chooseLevel(job)],
      ...['-crf', crf, '-maxrate', String(rung.maxBitrateBps), '-bufsize', String(2 * rung.maxBitrateBps)],
      // Scene cuts would move keyframes. Without open GOPs, every keyframe is an IDR frame.
      ...['-g', String(gopFrames), '-keyint_min', '1', '-sc_threshold', '0', '-forced-idr', '1', '-flags', '+cgop'],
      ...['-threads', String(threads), '-pix_fmt', pixelFormat(null)],
    ];
  },
};

/** Levels with their maximum macroblocks per second, macroblocks per frame, and bits per second in High profile. */
const LEVELS: readonly (readonly [string, number, number, number])[] = [
  ['2.1', 19_800, 792, 5_000_000],
  ['3.0', 40_500, 1_620, 12_500_000],
  ['3.1', 108_000, 3_600, 17_500_000],
  ['3.2', 216_000, 5_120, 25_000_000],
  ['4.0', 245_760, 8_192, 25_000_000],
  ['4.2', 522_240, 8_704, 62_500_000],
  ['5.0', 589_824, 22_080, 168_750_000],
  ['5.1', 983_040, 36_864, 300_000_000],
  ['5.2', 2_073_600, 36_864, 300_000_000],
  ['6.1', 8_355_840, 139_264, 600_000_000],
];

/** Returns the lowest level (H.264 table A-1) that allows the size, rate and bit rate of a rung. */
export function chooseLevel({ rung, rate }: Pick<EncoderJob, 'rung' | 'rate'>): string {
  const frame = Math.ceil(rung.widthPx / 16) * Math.ceil(rung.heightPx / 16);
  const second = frame * toNumber(rate);
  const fits = LEVELS.find(
    ([, maxSecond, maxFrame, maxBps]) => second <= maxSecond && frame <= maxFrame && rung.maxBitrateBps <= maxBps,
  );
  return fits?.[0] ?? '6.2';
}
