import { expect, test } from 'vitest';
import { isReferrerAllowed, parseReferrerRule } from './referrer.ts';

const open = { allowedReferrers: [], blockedReferrers: [], blockNoneReferrer: false };
const listed = { ...open, allowedReferrers: ['example.com', '*.shop.test'] };

test.each([
  { header: null, rules: open, allowed: true },
  { header: null, rules: { ...open, blockNoneReferrer: true }, allowed: false },
  { header: 'nonsense', rules: { ...open, blockNoneReferrer: true }, allowed: false },
  { header: 'https://anywhere.test/page', rules: open, allowed: true },
  { header: 'https://EXAMPLE.com/page', rules: listed, allowed: true },
  { header: 'https://www.example.com/', rules: listed, allowed: false },
  { header: 'https://a.b.shop.test/', rules: listed, allowed: true },
  { header: 'https://shop.test/', rules: listed, allowed: true },
  { header: 'https://xn--bcher-kva.test/', rules: { ...open, allowedReferrers: ['Bücher.test'] }, allowed: true },
  {
    header: 'https://a.xn--bcher-kva.test/',
    rules: { ...open, allowedReferrers: ['*.Bücher.test'] },
    allowed: true,
  },
  { header: 'https://evilshop.test/', rules: listed, allowed: false },
  { header: 'https://bad.test/', rules: { ...open, blockedReferrers: ['bad.test'] }, allowed: false },
  { header: 'https://iframe.mediadelivery.net/', rules: listed, allowed: true },
  { header: 'https://player.ours.test/', rules: listed, allowed: true },
])('returns $allowed for referrer $header under $rules', ({ header, rules, allowed }) => {
  expect(isReferrerAllowed(header, rules, ['player.ours.test'])).toBe(allowed);
});

test.each([
  { text: ' example.com ', expected: 'example.com' },
  { text: '*.example.com', expected: '*.example.com' },
  { text: 'https://Example.com/page', expected: 'example.com' },
  { text: 'bücher.test', expected: 'bücher.test' },
  { text: 'a1.test', expected: 'a1.test' },
  { text: 'example.com/page', expected: null },
  { text: 'exa mple.com', expected: null },
  { text: '*', expected: null },
  { text: 'https://', expected: null },
  { text: '', expected: null },
])('reads the referrer rule "$text" as $expected', ({ text, expected }) => {
  expect(parseReferrerRule(text)).toBe(expected);
});
