import { expect, test } from 'vitest';
import { LeadingFrames } from './leading-frames.ts';

/** Returns the times of the leading frames among frames in decode order. Times of keyframes have a `K`. */
function leadingOf(frames: string): number[] {
  const leading = new LeadingFrames();
  return frames.split(' ').flatMap((frame) => {
    const ptsMs = Number(frame.replace('K', ''));
    const unit = { kind: 'video', ptsMs, dtsMs: ptsMs, isKey: frame.startsWith('K'), bytes: Buffer.alloc(0) } as const;
    return leading.take(unit) ? [ptsMs] : [];
  });
}

test.each([
  ['frames that follow a keyframe and are shown before it are leading', 'K0 80 40 K160 120 100 200 180', [120, 100]],
  ['frames that are shown after the keyframe are not leading', 'K0 80 40 K120 200 160', []],
  ['a frame shown at the time of the keyframe is not leading', 'K120 120', []],
  ['frames before the first keyframe are not leading', '120 80 40', []],
  ['frames after the first one that is not leading refer to it', 'K160 120 200 100', [120]],
  ['each keyframe begins again', 'K160 120 200 K320 280 260 360', [120, 280, 260]],
  ['a keyframe is not a leading frame of the one before', 'K160 K120 100', [100]],
] as const)('%s', (_title, frames, leading) => {
  expect(leadingOf(frames)).toEqual(leading);
});

test('at most 16 frames in a row are leading, because more mean a wrong clock', () => {
  const late = Array.from({ length: 20 }, (_, index) => 100 - index);
  expect(leadingOf(`K1000 ${late.join(' ')}`)).toEqual(late.slice(0, 16));
  expect(leadingOf(`K1000 ${late.join(' ')} K2000 1900`)).toEqual([...late.slice(0, 16), 1900]);
});
