import { expect, test } from 'vitest';
import { renderMarkdown } from './render-markdown.ts';

test.each([
  ['plain words', '<p dir="auto">plain words</p>', 'plain words'],
  [
    'The **oldest** mill. [More](https://example.com/?a=1&b=2)',
    '<p dir="auto">The <strong>oldest</strong> mill. <a href="https://example.com/?a=1&amp;b=2" target="_blank" ' +
      'rel="noreferrer nofollow">More</a></p>',
    'The oldest mill. More',
  ],
  ['# Big\n\ntext', '<p dir="auto"><strong>Big</strong></p><p dir="auto">text</p>', 'Big text'],
  ['- one\n- two', '<ul><li dir="auto">one</li><li dir="auto">two</li></ul>', 'one two'],
  [
    '1. one\n2) two\n\n*it* `x < y`',
    '<ol><li dir="auto">one</li><li dir="auto">two</li></ol><p dir="auto"><em>it</em> <code>x &lt; y</code></p>',
    'one two it x < y',
  ],
  ['first\nsecond', '<p dir="auto">first<br>second</p>', 'first second'],
])('renders %j', (markdown, html, text) => {
  expect(renderMarkdown(markdown)).toEqual({ html, text });
});

test.each([
  '<script>alert(1)</script>',
  '[click](javascript:alert(1))',
  '[x](https://example.com/" onerror="alert(1))',
  '[a](https://example.com/"onmouseover="alert(1))',
  '`<img src=x onerror=alert(1)>`',
  '```\n</pre><script>alert(1)</script>\n```',
])('writes no element or attribute that the description contains: %s', (markdown) => {
  const { html } = renderMarkdown(markdown);
  expect(html).not.toMatch(/<(?:script|img|b)\b|javascript:[^&]*"|" on/i);
});
