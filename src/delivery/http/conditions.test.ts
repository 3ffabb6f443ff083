import { expect, test } from 'vitest';
import { judgeConditions } from './conditions.ts';

const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT';
const EARLIER = 'Sun, 06 Nov 1994 08:49:36 GMT';
const modifiedAt = new Date(Date.parse(DATE) + 700);

test.each([
  { headers: {}, verdict: 'send' },
  { headers: { 'if-unmodified-since': DATE }, verdict: 'send' },
  { headers: { 'if-unmodified-since': EARLIER }, verdict: 'changed' },
  { headers: { 'if-unmodified-since': 'Sunday, 06-Nov-94 08:49:36 GMT' }, verdict: 'changed' },
  { headers: { 'if-unmodified-since': 'Sun Nov  6 08:49:36 1994' }, verdict: 'changed' },
  { headers: { 'if-unmodified-since': '1994' }, verdict: 'send' },
  { headers: { 'if-match': '"a"', 'if-unmodified-since': EARLIER }, verdict: 'send' },
  { headers: { 'if-match': '"b"', 'if-unmodified-since': DATE }, verdict: 'changed' },
  { headers: { 'if-modified-since': DATE }, verdict: 'not-modified' },
  { headers: { 'if-modified-since': EARLIER }, verdict: 'send' },
  { headers: { 'if-none-match': '"b"', 'if-modified-since': DATE }, verdict: 'send' },
  { headers: { 'if-none-match': 'W/"a"', 'if-modified-since': EARLIER }, verdict: 'not-modified' },
])('evaluates $headers as $verdict', ({ headers, verdict }) => {
  expect(judgeConditions(headers, { etag: '"a"', modifiedAt })).toBe(verdict);
});

test('ignores date conditions if the response has no date', () => {
  const headers = { 'if-unmodified-since': EARLIER, 'if-modified-since': DATE };
  expect(judgeConditions(headers, { etag: '"a"' })).toBe('send');
});
