import { expect, test } from 'vitest';
import { prepareHeadHtml } from './head-html.ts';
import { playerHeaders } from './player-headers.ts';

test('adds the nonce to scripts and styles, and lists their hosts for the policy', () => {
  const html = `<style>.a{background:url(//img.example.org/a.png)}</style>
<script src="https://cdn.example.com/x.js"></script><script nonce="own">1</script><meta name="a" content="b">`;
  const head = prepareHeadHtml(html, 'N');
  expect(head.html).toContain('<style nonce="N">');
  expect(head.html).toContain('<script nonce="N" src="https://cdn.example.com/x.js">');
  expect(head.html).not.toContain('own');
  expect(head.hosts).toEqual(['img.example.org', 'cdn.example.com']);
});

test('a host cannot inject another directive into the policy', () => {
  expect(prepareHeadHtml('<link href="https://a.example; script-src *">', 'N').hosts).toEqual([]);
  expect(prepareHeadHtml(null, 'N')).toEqual({ html: '', hosts: [] });
});

test.each([
  `<script>const text = '<script src="a.js">', more = "<style>";</script>`,
  '<style>/* <link href="a.css"> */ .a::before{content:"<script"}</style>',
  `<script data-text="a > b" src='x.js'></script>`,
])('%s gets exactly one nonce in its start tag', (html) => {
  expect(prepareHeadHtml(html, 'N').html).toBe(html.replace(/^<\w+/, '$& nonce="N"'));
});

test.each([
  [`<script nonce="own" async>a('nonce="own"')</script>`, `<script nonce="N"  async>a('nonce="own"')</script>`],
  ["<style data-a=' nonce=x' NONCE='y'></style>", `<style nonce="N" data-a=' nonce=x' ></style>`],
  ['<link nonce rel=icon nonce=z>', '<link nonce="N"  rel=icon >'],
])("replaces the existing nonce of %s with the page's nonce", (html, expected) => {
  expect(prepareHeadHtml(html, 'N').html).toBe(expected);
});

test('keeps comments unchanged, and does not list the hosts in them', () => {
  const comment = '<!-- <script src="https://old.example.com/x.js"></script> -->';
  expect(prepareHeadHtml(comment, 'N')).toEqual({ html: comment, hosts: [] });
});

test('allows intranet hosts only if the URL has a scheme', () => {
  const html = `<script src="http://intranet:8080/x.js"></script>
<script>//note
new WebSocket('wss://chat.example.com/');</script>`;
  expect(prepareHeadHtml(html, 'N').hosts).toEqual(['intranet:8080', 'chat.example.com']);
});

test('scans unclosed HTML in linear time', () => {
  const html = `<script "`.repeat(10_000) + '<!--'.repeat(10_000);
  expect(prepareHeadHtml(html, 'N').html).toHaveLength(html.length + ' nonce="N"'.length);
});

test('the policy of a page with head HTML allows frames, forms and sockets only to the listed hosts', () => {
  const policyWith = (named: string[]) =>
    playerHeaders('N', { named, vastTagUrl: null, offersCast: false })['Content-Security-Policy']?.split('; ');
  expect(policyWith(['a.example'])).toEqual(
    expect.arrayContaining([
      "connect-src 'self' a.example ws://a.example",
      'frame-src a.example',
      'form-action a.example',
    ]),
  );
  expect(policyWith([])).toEqual(
    expect.arrayContaining(["connect-src 'self'", "frame-src 'none'", "form-action 'none'"]),
  );
});
