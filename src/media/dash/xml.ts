import type { Brand } from '../../lib/brand.ts';
import { escapeXml } from '../../lib/escape-xml.ts';

/** Well-formed XML. Only this file creates it, so that no document contains unescaped text. */
export type Xml = Brand<string, 'Xml'>;

/** Attributes in order. A null value omits the attribute. */
export type XmlAttributes = Readonly<Record<string, string | number | null>>;

const NAME = /^[A-Za-z_][\w.:-]*$/;
const ATTRIBUTE = String.raw`\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*')`;
const TAG = new RegExp(String.raw`<(/?)([A-Za-z_][\w.:-]*)(?:${ATTRIBUTE})*\s*(/?)>`, 'g');

/** Creates an element. Throws for an invalid name. */
export function xmlElement(name: string, attributes: XmlAttributes, children: readonly Xml[] = []): Xml {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === null ? [] : [` ${checkedName(key)}="${escapeXml(String(value))}"`],
  );
  const opening = `<${checkedName(name)}${written.join('')}`;
  // The text contains only checked names and escaped values.
  return (children.length === 0 ? `${opening}/>` : `${opening}>${children.join('')}</${name}>`) as Xml;
}

/** Creates text content. */
export function xmlText(text: string): Xml {
  return escapeXml(text) as Xml;
}

/**
 * Accepts an element written elsewhere (ContentProtection of a DRM system). Throws unless it is one element whose tags
 * are closed in order and whose attributes are quoted. Rejects comments and other markup.
 */
export function xmlFragment(element: string): Xml {
  const text = element.trim();
  const open: string[] = [];
  let end = 0;
  for (const { 0: tag, 1: closes, 2: name = '', 3: isEmpty, index } of text.matchAll(TAG)) {
    if (!isPlainText(text.slice(end, index)) || (end > 0 && open.length === 0)) break;
    end = index + tag.length;
    if (closes === '/' && open.pop() !== name) throw new Error(`Expected XML tags closed in order, got ${tag}.`);
    if (closes === '' && isEmpty === '') open.push(name);
  }
  if (end !== text.length || open.length > 0 || end === 0) {
    throw new Error(`Expected one whole XML element, got ${JSON.stringify(text.slice(0, 200))}.`);
  }
  return text as Xml;
}

function isPlainText(text: string): boolean {
  return !/[<>]/.test(text);
}

function checkedName(name: string): string {
  if (!NAME.test(name)) throw new Error(`Expected an XML name, got ${JSON.stringify(name)}.`);
  return name;
}
