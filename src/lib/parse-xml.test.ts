import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeXml } from './escape-xml.ts';
import { BrokenXml, childElements, parseXml } from './parse-xml.ts';

describe('an XML document', () => {
  test('is parsed with namespaces, attributes, text, CDATA, comments and entities', () => {
    const root = parseXml(`<?xml version="1.0"?>
      <!-- before --><a:root xmlns:a="urn:a" xmlns="urn:default" plain='&quot;1&#x41;&#66;'>
        x<b>y &amp; z<![CDATA[<&>]]></b><!-- > <c> --><a:b/><c xmlns=""/>
      </a:root >\n`);
    expect([root.namespace, root.name, root.attributes.get('plain')]).toEqual(['urn:a', 'root', '"1AB']);
    expect(root.content.trim()).toBe('x');
    expect(root.children.map((it) => [it.namespace, it.name, it.content])).toEqual([
      ['urn:default', 'b', 'y & z<&>'],
      ['urn:a', 'b', ''],
      ['', 'c', ''],
    ]);
    expect(childElements(root, 'urn:a', 'b')).toHaveLength(1);
  });

  test('returns any escaped text unchanged', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, (content, value) => {
        const root = parseXml(`<r v="${escapeXml(value)}">${escapeXml(content)}</r>`);
        expect([root.content, root.attributes.get('v')]).toEqual([content, value]);
      }),
    );
  });

  test.each([
    { what: 'nothing', text: '' },
    { what: 'only text', text: 'key' },
    { what: 'a document type', text: '<!DOCTYPE r [<!ENTITY a "b">]><r>&a;</r>' },
    { what: 'an unknown entity', text: '<r>&nbsp;</r>' },
    { what: 'an entity named like a method', text: '<r>&toString;</r>' },
    { what: 'a bare ampersand', text: '<r>a & b</r>' },
    { what: 'an invalid character reference', text: '<r>&#1114112;</r>' },
    { what: 'a processing instruction', text: '<r><?php ?></r>' },
    { what: 'crossed end tags', text: '<r><a></r></a>' },
    { what: 'an open element', text: '<r><a></a>' },
    { what: 'a surplus end tag', text: '<r></r></r>' },
    { what: 'two roots', text: '<r/><r/>' },
    { what: 'text after the root', text: '<r/>x' },
    { what: 'a duplicate attribute', text: '<r a="1" a="2"/>' },
    { what: 'an unquoted attribute', text: '<r a=1/>' },
    { what: 'an unknown prefix', text: '<a:r/>' },
    { what: 'an open comment', text: '<r><!-- </r>' },
    { what: 'too many levels', text: '<r>'.repeat(33) + '</r>'.repeat(33) },
    { what: 'too many elements', text: `<r>${'<a/>'.repeat(10_000)}</r>` },
    { what: 'too many characters', text: `<r>${' '.repeat(1_048_576)}</r>` },
  ])('is rejected if it is $what', ({ text }) => {
    expect(() => parseXml(text)).toThrow(BrokenXml);
  });

  test('is accepted or rejected without other errors for any characters', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '/',
      '<a',
      '</a>',
      ' b="',
      '"',
      '&',
      '&lt;',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        try {
          expect(parseXml(pieces.join('')).name).toMatch(/^[ax]+$/);
        } catch (error) {
          expect(error).toBeInstanceOf(BrokenXml);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
