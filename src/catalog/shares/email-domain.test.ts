import { expect, test } from 'vitest';
import { isOfDomains, readEmailAddress, readEmailDomain } from './email-domain.ts';

test.each([
  ['example.com', 'example.com'],
  ['Example.COM', 'example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['*.example.com', '*.example.com'],
  ['a.b-c.museum', 'a.b-c.museum'],
])('reads %s as a domain', (text, domain) => {
  expect(readEmailDomain(text)).toBe(domain);
});

test.each([
  ...['', ' ', 'example', 'example .com', ' example.com', '@example.com', 'a@example.com', 'https://example.com'],
  ...['example.com.', '.example.com', 'exa_mple.com', '-a.com', 'a..com', '192.0.2.1', '*.com*', '*', '**.a.com'],
  ...['example.com\r\nBcc: x@y.z', 'exa%6Dple.com', 'example.com/a', `${'a'.repeat(64)}.com`, `${'a.'.repeat(130)}com`],
])('rejects %j as a domain', (text) => {
  expect(readEmailDomain(text)).toBeNull();
});

test.each([
  ['ada@example.com', 'ada@example.com'],
  [' Ada.L+x@EXAMPLE.com ', 'Ada.L+x@example.com'],
  ['zoë@bücher.example', 'zoë@xn--bcher-kva.example'],
])('reads %j as an address', (text, address) => {
  expect(readEmailAddress(text)).toBe(address);
});

test.each([
  ...[
    '',
    '@',
    'ada',
    'ada@',
    '@example.com',
    'a b@example.com',
    'a@b@example.com',
    '"a"@example.com',
    'a.@example.com',
  ],
  ...[
    'ada@example.com\r\nBcc: eve@example.org',
    'ada\n@example.com',
    'a,eve@example.com',
    'a@example.com,b@example.com',
  ],
  ...['<ada@example.com>', 'ada@[192.0.2.1]', `${'a'.repeat(65)}@example.com`, 'ada@example.com\0', 'a;b@example.com'],
])('rejects %j as an address', (text) => {
  expect(readEmailAddress(text)).toBeNull();
});

test('subdomains count only with an asterisk, and other endings never', () => {
  const cases = [
    ['a@example.com', ['example.com'], true],
    ['a@mail.example.com', ['example.com'], false],
    ['a@mail.example.com', ['*.example.com'], true],
    ['a@example.com', ['*.example.com'], false],
    ['a@badexample.com', ['example.com', '*.example.com'], false],
    ['a@example.com.evil.test', ['example.com', '*.example.com'], false],
    ['a@example.com', [], false],
  ] as const;
  for (const [address, domains, isRight] of cases) expect(isOfDomains(address, domains), address).toBe(isRight);
});
