import { expect, test } from 'vitest';
import { TRANSFORMATIONS } from './transformations.ts';

// The examples of the reference manual of ModSecurity, and the encodings that hide attacks on web servers.
test.each([
  ['urlDecodeUni', '%3Cscript+src%3d%u0022%uff41', '<script src="a'],
  ['urlDecode', '%u0041%41+%zz', '%u0041A %zz'],
  ['htmlEntityDecode', '&lt;&#x3c;&#60;&quot&amp;', '<<<"&'],
  ['jsDecode', '\\u003c\\x3C\\74\\n', '<<<\n'],
  ['cssDecode', 'ja\\vasc\\72 ipt', 'javascript'],
  ['normalizePath', '/a//b/./c/../d/', '/a/b/d/'],
  ['normalizePath', '../../etc/passwd', '../../etc/passwd'],
  ['normalizePathWin', '\\a\\..\\b', '/b'],
  ['cmdLine', 'C^AT  /etc\\/pass"wd";,ls', 'cat/etc/passwd ls'],
  ['removeNulls', 'a\0b', 'ab'],
  ['replaceComments', 'un/* x */ion/* y', 'un ion '],
  ['compressWhitespace', 'a \t\n b', 'a b'],
  ['removeWhitespace', ' a b ', 'ab'],
  ['utf8toUnicode', 'a\xc3\xa4', 'a%u00e4'],
  ['base64Decode', 'PHNjcmlwdD4=', '<script>'],
])('applies %s to %j', (name, text, expected) => {
  expect(TRANSFORMATIONS[name]?.(text)).toBe(expected);
});
