import { expect } from 'vitest';
import type { WholeVideo } from './check-whole-video.ts';
import type { SourceSpan } from './decode-segment.ts';

/** Checks that the duration of the timeline equals that of the source to within one frame. */
export function expectSameLength(whole: WholeVideo, source: SourceSpan): void {
  const endSec = Math.max(source.videoEndSec ?? 0, source.audioEndSec ?? 0) - source.startSec;
  const oneFrameSec = whole.frameSec === 0 ? 1024 / 44_100 : whole.frameSec;
  expect(Math.abs(Math.max(whole.videoEndSec ?? 0, whole.audioEndSec ?? 0) - endSec)).toBeLessThanOrEqual(oneFrameSec);
}
