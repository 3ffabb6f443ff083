import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { xmlElement, xmlFragment, xmlText } from './xml.ts';

/** Unescapes text. Supports only the five predefined entities and decimal references. */
function unescapeXml(text: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  return text.replace(/&(?:#(\d+)|(\w+));/g, (_, code, name) => named[name] ?? String.fromCharCode(Number(code)));
}

describe('an element', () => {
  test('escapes any text so that it reads back unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        const element = xmlElement('a', { b: text }, [xmlText(text)]);
        const [, attribute = '', content = ''] = /^<a b="([^"<>]*)">([^<>]*)<\/a>$/.exec(element) ?? [];
        expect([unescapeXml(attribute), unescapeXml(content)]).toEqual([text, text]);
        expect(xmlFragment(element)).toBe(element);
      }),
    );
  });

  test('omits null values and characters that XML forbids', () => {
    expect(xmlElement('S', { t: null, d: 5 })).toBe('<S d="5"/>');
    expect(xmlText('a\0b\u001Bc\uFFFF😀\ud800')).toBe('a\uFFFDb\uFFFDc\uFFFD😀\uFFFD');
  });

  test('must have a valid name', () => {
    expect(() => xmlElement('a b', {})).toThrow('Expected an XML name');
    expect(() => xmlElement('a', { 'b="c" d': 1 })).toThrow('Expected an XML name');
  });
});

describe('a fragment', () => {
  test.each([
    '<a/>',
    '<ContentProtection schemeIdUri="urn:mpeg:dash:mp4protection:2011" value="cenc" cenc:default_KID=\'x\'/>',
    '<a b="1>2"><cenc:pssh>AAAA</cenc:pssh> text <b/></a>',
    ' <a></a>\n',
  ])('accepts %j', (element) => {
    expect(xmlFragment(element)).toBe(element.trim());
  });

  test.each([
    '',
    'text',
    '<a>',
    '<a></b>',
    '</a>',
    '<a/><b/>',
    '<a/>text',
    '<a b=1/>',
    '<a><!-- --></a>',
    '<a>x<</a>',
    '<a><b></a></b>',
  ])('rejects %j', (element) => {
    expect(() => xmlFragment(element)).toThrow('Expected');
  });
});
