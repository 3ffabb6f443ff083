import { expect, test } from 'vitest';
import { isReferrerAllowed } from './referrer.ts';

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
  { header: 'https://evilshop.test/', rules: listed, allowed: false },
  { header: 'https://bad.test/', rules: { ...open, blockedReferrers: ['bad.test'] }, allowed: false },
  { header: 'https://iframe.mediadelivery.net/', rules: listed, allowed: true },
  { header: 'https://player.ours.test/', rules: listed, allowed: true },
])('returns $allowed for referrer $header under $rules', ({ header, rules, allowed }) => {
  expect(isReferrerAllowed(header, rules, ['player.ours.test'])).toBe(allowed);
});
