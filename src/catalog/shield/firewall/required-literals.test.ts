import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { requiredLiterals } from './required-literals.ts';

test.each<[string, readonly string[] | null]>([
  ['union\\s+select', ['select']],
  ['(?i)<SCRIPT[^>]*>', ['<script']],
  ['a(?:bc|de)f', ['abcf', 'adef']],
  ['x?yz', ['xyz', 'yz']],
  ['(?:foo|b.r)', null],
  ['(?:foo|bar)*', null],
  ['[;|]\\s*cat', ['cat']],
  ['\\.\\./', ['../']],
  ['^\\d+$', null],
  ['\\x3cimg', ['<img']],
  ['a{0}bc', ['bc']],
  ['[\\n\\r]', ['\n', '\r']],
])('finds that matches of %s require one of %j', (pattern, expected) => {
  expect(requiredLiterals(pattern)).toEqual(expected);
});

test('every match of a pattern contains a literal that it requires', () => {
  const patterns = [
    '(?:sel|up)(?:ect|date)\\s+\\w',
    '[\'"]\\s*(?:or|and)\\b',
    'o(?:n[a-z]{3}|pen)=',
    '[<{](?:a|b)+x?>',
  ];
  const texts = ['SELECT  a', 'update x', "' OR 1", '"and', 'onload=', 'open=', 'onabc=', '<abab>', '{bx>', '<a>'];
  let matched = 0;
  for (const pattern of patterns) {
    const found = requiredLiterals(pattern);
    for (const text of texts) {
      if (!RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).test(text)) continue;
      matched += 1;
      expect([pattern, text, found === null || found.some((one) => text.toLowerCase().includes(one))]).toEqual([
        pattern,
        text,
        true,
      ]);
    }
  }
  expect(matched).toBeGreaterThan(8);
});
