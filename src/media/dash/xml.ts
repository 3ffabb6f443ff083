import type { Brand } from '../../lib/brand.ts';
import { escapeXml } from '../../lib/escape-xml.ts';
import { parseXml } from '../../lib/parse-xml.ts';

/** Well-formed XML. Only this file creates it, so that no document contains unescaped text. */
export type Xml = Brand<string, 'Xml'>;

/** Attributes in order. A null value omits the attribute. */
export type XmlAttributes = Readonly<Record<string, string | number | null>>;

const NAME = /^[A-Za-z_][\w.:-]*$/;
const OTHER_MARKUP = /<[!?]/;
/** Prefixes that the MPD declares for the elements in it. */
const PREFIXES = { cenc: 'urn:mpeg:cenc:2013' };

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
 * Accepts an element written elsewhere (ContentProtection of a DRM system). Throws unless it is one well-formed
 * element. Rejects comments, CDATA and other markup.
 */
export function xmlFragment(element: string): Xml {
  const text = element.trim();
  if (OTHER_MARKUP.test(text))
    throw new Error(`Expected only elements and text, got ${JSON.stringify(text.slice(0, 200))}.`);
  parseXml(text, PREFIXES);
  return text as Xml;
}

function checkedName(name: string): string {
  if (!NAME.test(name)) throw new Error(`Expected an XML name, got ${JSON.stringify(name)}.`);
  return name;
}
