import { expect, test } from 'vitest';
import { prepareHeadHtml } from './head-html.ts';

test('scripts and styles get the nonce, and the hosts that are named are let in', () => {
  const html = `<style>.a{background:url(//img.example.org/a.png)}</style>
<script src="https://cdn.example.com/x.js"></script><script nonce="own">1</script><meta name="a" content="b">`;
  const head = prepareHeadHtml(html, 'N');
  expect(head.html).toContain('<style nonce="N">');
  expect(head.html).toContain('<script nonce="N" src="https://cdn.example.com/x.js">');
  expect(head.html).toContain('<script nonce="own">');
  expect(head.hosts).toEqual(['img.example.org', 'cdn.example.com']);
});

test('a host cannot bring another directive into the policy', () => {
  expect(prepareHeadHtml('<link href="https://a.example; script-src *">', 'N').hosts).toEqual([]);
  expect(prepareHeadHtml(null, 'N')).toEqual({ html: '', hosts: [] });
});
