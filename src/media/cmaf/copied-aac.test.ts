import { expect, test } from 'vitest';
import { AAC_FRAME_TICKS, SILENT_FRAME } from './aac.ts';
import { AUDIO_RATE_HZ } from './audio-grid.ts';
import { COPY_LEAD_TICKS, createCopiedAacSegmenter } from './copied-aac.ts';

/**
 * Copies frames that start at the given ticks into a track of `frames` frames. Returns the index of the input frame at
 * each position, or `.` for silence.
 */
function copy(times: readonly number[], frames: number): string {
  const segmenter = createCopiedAacSegmenter((frames * AAC_FRAME_TICKS) / AUDIO_RATE_HZ);
  const pushed = times.flatMap((tick, value) => {
    const samples = [{ durationTicks: AAC_FRAME_TICKS, sizeBytes: 1, compositionOffsetTicks: 0, isSync: true }];
    return segmenter.push({ baseTick: tick + COPY_LEAD_TICKS, samples, payload: Buffer.of(value) });
  });
  const made = [...pushed, ...segmenter.end()].flatMap(({ fragments }) => fragments);
  return made
    .flatMap(({ samples, payload }) => {
      let at = 0;
      return samples.map(({ sizeBytes }) => {
        at += sizeBytes;
        return sizeBytes === SILENT_FRAME.length ? '.' : String(payload[at - 1]);
      });
    })
    .join('');
}

const run = (from: number, count: number) => Array.from({ length: count }, (_, frame) => from + frame * 1024);

test.each([
  { title: 'the priming frame is dropped', times: run(-1024, 4), frames: 3, expected: '123' },
  { title: 'a start between two positions moves to the nearest one', times: run(400, 3), frames: 3, expected: '012' },
  { title: 'a late start begins with silence', times: run(2100, 2), frames: 4, expected: '..01' },
  { title: 'a lost frame becomes silence', times: [0, 1024, 3072, 4096], frames: 5, expected: '01.23' },
  { title: 'jitter does not move frames', times: [0, 1400, 1900, 3500], frames: 4, expected: '0123' },
  { title: 'frames that overlap are dropped', times: [0, 1024, 0, 1024, 2048], frames: 3, expected: '014' },
  { title: 'the end is filled with silence', times: run(0, 2), frames: 4, expected: '01..' },
  { title: 'the end is cut', times: run(0, 5), frames: 2, expected: '01' },
])('copied AAC: $title', ({ times, frames, expected }) => {
  expect(copy(times, frames)).toBe(expected);
});

test('rejects a track without frames', () => {
  expect(() => createCopiedAacSegmenter(1).end()).toThrow('got none');
});
