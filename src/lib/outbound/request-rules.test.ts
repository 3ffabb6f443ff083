import { describe, expect, test } from 'vitest';
import { checkHeaders, checkUrl, redirectOf } from './request-rules.ts';

test.each([
  ['file:///etc/passwd', 'scheme "file:"'],
  ['ftp://example.com/a', 'scheme "ftp:"'],
  ['gopher://example.com', 'scheme "gopher:"'],
  ['javascript:alert(1)', 'scheme'],
  ['//example.com', 'Expected a URL'],
  ['http://', 'Expected a URL'],
  ['http://user@example.com/', 'user name or password'],
  ['http://user:pass@example.com/', 'user name or password'],
  [`http://example.com/${'a'.repeat(9000)}`, 'Expected a URL'],
])('refuses the URL %.60s', (url, message) => {
  expect(() => checkUrl(url)).toThrow(expect.objectContaining({ name: 'Refused', kind: 'invalid' }));
  expect(() => checkUrl(url)).toThrow(message);
});

describe('headers', () => {
  test.each([
    ['a line break in a value', { 'x-a': 'b\r\nhost: evil' }],
    ['a line feed at the end of a value', { 'x-a': 'b\n' }],
    ['a null in a value', { 'x-a': 'b\0' }],
    ['a character beyond Latin-1', { 'x-a': 'Ā' }],
    ['a space in a name', { 'x a': 'b' }],
    ['a line break in a name', { 'x-a\r\nhost': 'b' }],
    ['a line feed at the end of a name', { 'x-a\n': 'b' }],
    ['an empty name', { '': 'b' }],
    ['the Host header', { Host: 'evil' }],
    ['the Content-Length header', { 'Content-Length': '5' }],
    ['the Transfer-Encoding header', { 'transfer-encoding': 'chunked' }],
    ['a proxy credential', { 'Proxy-Authorization': 'x' }],
    ['too many headers', Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`x-${index}`, '']))],
    ['too long headers', { 'x-a': 'b'.repeat(20_000) }],
  ])('refuses %s', (_, headers) => {
    expect(() => checkHeaders(headers)).toThrow(expect.objectContaining({ name: 'Refused', kind: 'invalid' }));
  });

  test('are returned with their names in lower case if they are allowed', () => {
    expect(checkHeaders({ Authorization: 'Bearer x', 'X-A': 'é\t' })).toEqual({
      authorization: 'Bearer x',
      'x-a': 'é\t',
    });
  });
});

describe('redirects', () => {
  const headers = {
    authorization: 'secret',
    cookie: 'a=b',
    'x-key': 'k',
    'content-type': 'text/plain',
    range: 'bytes=5-',
  };
  const hop = (method: string) => ({ url: new URL('https://a.example/x/y'), method, headers, body: 'body' });

  test.each([
    [301, 'GET', 'GET'],
    [301, 'HEAD', 'HEAD'],
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [302, 'PUT', 'PUT'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [307, 'POST', 'POST'],
    [308, 'PUT', 'PUT'],
  ])('%i after a %s is followed by a %s', (status, method, expected) => {
    const next = redirectOf(hop(method), status, '../z');
    expect(next).toMatchObject({ method: expected, body: expected === method ? 'body' : null });
    expect(next?.url.href).toBe('https://a.example/z');
    expect(next?.headers).toMatchObject({ authorization: 'secret', 'x-key': 'k', range: 'bytes=5-' });
  });

  test.each(['https://b.example/', 'http://a.example/', 'https://a.example:8443/'])(
    'do not send secrets to another origin: %s',
    (location) => {
      expect(redirectOf(hop('GET'), 302, location)?.headers).toEqual({
        'content-type': 'text/plain',
        range: 'bytes=5-',
      });
    },
  );

  test.each(['file:///etc/passwd', 'http://user:pass@b.example/', 'http://[oops/'])(
    'to %s are rejected',
    (location) => {
      expect(() => redirectOf(hop('GET'), 302, location)).toThrow(expect.objectContaining({ name: 'Refused' }));
    },
  );

  test.each([200, 300, 304, 305, 400])('do not include status %i', (status) => {
    expect(redirectOf(hop('GET'), status, '/z')).toBeNull();
  });
});
