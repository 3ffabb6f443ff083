import { expect, test } from 'vitest';
import { explainVideo, type WhyView } from './explain-video.ts';

const VIEW: WhyView = {
  outlook: { message: 'Ready.', etaSec: null } as WhyView['outlook'],
  stored: { state: 'finished', originalBytes: 1, renditions: [] } as unknown as WhyView['stored'],
  tasks: [],
  experiences: [],
  scrub: null,
  access: { needsToken: false, isPrivate: false, allowedReferrers: [], blocksNoReferrer: false },
};
const experience = { country: 'DE', sessions: 10, startupMs: 400, stalled: 0, stallMs: 0, failures: 0 };
const began = new Date('2026-11-20T00:00:00Z');

test.each([
  { name: 'a finished video', change: {}, kinds: ['finished'] },
  {
    name: 'a completed scrub',
    change: { scrub: { roundBeganAt: began, isRead: true } },
    kinds: ['finished', 'scrub'],
  },
  {
    name: 'a cancelled encode of a complete video',
    change: { stored: { ...VIEW.stored, isCancelled: true } },
    kinds: ['cancelled'],
  },
  { name: 'a required token', change: { access: { ...VIEW.access, needsToken: true } }, kinds: ['token', 'finished'] },
  {
    name: 'a slow start',
    change: { experiences: [{ ...experience, startupMs: 3_000 }] },
    kinds: ['slow-start', 'finished'],
  },
  { name: 'stalls', change: { experiences: [{ ...experience, stalled: 5 }] }, kinds: ['stalls', 'finished'] },
  {
    name: 'too few viewers to judge',
    change: { experiences: [{ ...experience, sessions: 2, stalled: 2 }] },
    kinds: ['finished'],
  },
])('$name: finds $kinds', ({ change, kinds }) => {
  expect(explainVideo({ ...VIEW, ...change }).map(({ kind }) => kind)).toEqual(kinds);
});

test('a cancelled video can be encoded again as long as its original exists', () => {
  const remedy = (originalBytes: number | null) =>
    explainVideo({ ...VIEW, stored: { ...VIEW.stored, isCancelled: true, originalBytes } })[0]?.remedy;
  expect([remedy(1), remedy(null)]).toEqual(['reencode', null]);
});

test('reports the day of a scrub, and whether it reached the video', () => {
  const sentence = (isRead: boolean) =>
    explainVideo({ ...VIEW, scrub: { roundBeganAt: began, isRead } }).find(({ kind }) => kind === 'scrub')?.sentence;
  expect(sentence(true)).toContain('compared with their hashes in the scrub that began on 2026-11-20');
  expect(sentence(false)).toContain('has not reached it yet');
});
