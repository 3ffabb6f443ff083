import { expect, test } from 'vitest';
import { checkReloads, checkVariants } from './check-reloads.ts';

const HEAD = [
  '#EXTM3U',
  '#EXT-X-VERSION:9',
  '#EXT-X-TARGETDURATION:2',
  '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=12,HOLD-BACK=6,PART-HOLD-BACK=0.78',
  '#EXT-X-PART-INF:PART-TARGET=0.26',
];
const OPEN = ['#EXT-X-PART:DURATION=0.24,URI="2.0.m4s",INDEPENDENT=YES', '#EXT-X-PART:DURATION=0.24,URI="2.1.m4s"'];
const live = [
  ...HEAD,
  '#EXT-X-MEDIA-SEQUENCE:0',
  '#EXT-X-DISCONTINUITY-SEQUENCE:0',
  '#EXT-X-MAP:URI="init.mp4"',
  '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z',
  '#EXTINF:2.00000,',
  '0.m4s',
  '#EXTINF:2.00000,',
  '1.m4s',
  ...OPEN,
  '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="2.2.m4s"',
  '#EXT-X-RENDITION-REPORT:URI="../a/video.m3u8",LAST-MSN=2,LAST-PART=1',
  '',
].join('\n');
const later = live
  .replace('#EXT-X-PRELOAD', '#EXT-X-PART:DURATION=0.24,URI="2.2.m4s"\n#EXT-X-PRELOAD')
  .replace('URI="2.2.m4s"\n#EXT-X-REND', 'URI="2.3.m4s"\n#EXT-X-REND');

test('reports no faults for a correct stream, after reloads and next to another of its renditions', () => {
  expect(checkReloads([live, later, later])).toEqual([]);
  expect(checkVariants([live, later])).toEqual([]);
});

test.each([
  ['a hold-back below three part targets', 'PART-HOLD-BACK=0.78', 'PART-HOLD-BACK=0.5', /PART-HOLD-BACK/],
  ['a missing part hold-back', ',PART-HOLD-BACK=0.78', '', /PART-HOLD-BACK is required/],
  ['a skip boundary too near', 'CAN-SKIP-UNTIL=12', 'CAN-SKIP-UNTIL=11', /six targets/],
  ['a segment over the target', '#EXTINF:2.00000,\n1', '#EXTINF:2.50000,\n1', /exceeds 2/],
  ['a part over the target', 'DURATION=0.24,URI="2.0', 'DURATION=0.3,URI="2.0', /exceeds the part target/],
  ['a part in mid-segment that is too short', 'DURATION=0.24,URI="2.0', 'DURATION=0.2,URI="2.0', /lasts 0.2 s only/],
  ['a hint for a listed part', 'PART,URI="2.2', 'PART,URI="2.1', /hinted and listed/],
  ['a report without its part', ',LAST-PART=1', '', /LAST-PART/],
  ['a duplicate segment', '1.m4s', '0.m4s', /twice/],
  ['an old version', 'VERSION:9', 'VERSION:5', /below 6/],
  [
    'a discontinuity without a date',
    '#EXTINF:2.00000,\n1',
    '#EXT-X-DISCONTINUITY\n#EXTINF:2.00000,\n1',
    /without a date/,
  ],
  ['no target', '#EXT-X-TARGETDURATION:2\n', '', /TARGETDURATION is required/],
])('detects %s', (_, part, by, expected) => {
  expect(live).toContain(part);
  expect(checkReloads([live.replace(part, by)]).join()).toMatch(expected);
});

test.each([
  ['a decreasing sequence number', 'MEDIA-SEQUENCE:0', 'MEDIA-SEQUENCE:1', /fell from 1 to 0/, true],
  ['a target that changes', 'TARGETDURATION:2', 'TARGETDURATION:3', /went from/, false],
  ['a segment that changes', '#EXTINF:2.00000,\n1', '#EXTINF:1.90000,\n1', /segment 1 went from/, false],
  ['a removed segment', '#EXTINF:2.00000,\n1.m4s\n', '', /went from|is gone/, false],
  ['a part other than the hinted one', '2.2.m4s"\n#EXT-X-PRE', '2.9.m4s"\n#EXT-X-PRE', /was hinted at/, false],
  ['a map that changes', 'URI="init.mp4"', 'URI="other.mp4"', /changed its map/, false],
])('detects %s over reloads', (_, part, by, expected, isBefore) => {
  const changed = (isBefore ? live : later).replace(part, by);
  expect(changed).not.toBe(isBefore ? live : later);
  expect(checkReloads(isBefore ? [changed, live] : [live, changed]).join()).toMatch(expected);
});

test('completes a delta update from the previous playlist, and reports one that skips too much', () => {
  const segments = Array.from({ length: 10 }, (_, index) => `#EXTINF:2.00000,\n${index}.m4s`);
  const head = [...HEAD, '#EXT-X-MEDIA-SEQUENCE:0', '#EXT-X-DISCONTINUITY-SEQUENCE:0'];
  const whole = [...head, '#EXT-X-MAP:URI="init.mp4"', ...segments, ''].join('\n');
  const delta = (skipped: number) =>
    [
      ...head,
      `#EXT-X-SKIP:SKIPPED-SEGMENTS=${skipped}`,
      ...segments.slice(skipped),
      '#EXTINF:2.00000,\n10.m4s',
      '',
    ].join('\n');
  expect(checkReloads([whole, delta(4)])).toEqual([]);
  expect(checkReloads([whole, delta(6)]).join()).toMatch(/skip boundary/);
  expect(checkReloads([delta(4)]).join()).toMatch(/not all known/);
});

test('detects renditions with different target durations', () => {
  expect(checkVariants([live, live.replace('TARGETDURATION:2', 'TARGETDURATION:3')])).toEqual([
    'target durations differ',
  ]);
});
