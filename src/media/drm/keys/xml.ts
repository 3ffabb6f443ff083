/**
 * An element of a document. Attribute names include their prefixes. `content` is the element's own text, without that
 * of its children.
 */
export type XmlElement = {
  /** Namespace name, or '' for none. */
  namespace: string;
  /** Local name without the prefix. */
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: readonly XmlElement[];
  content: string;
};

/** Thrown for text outside the supported XML subset. */
export class BrokenXml extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BrokenXml';
  }
}

type OpenElement = {
  rawName: string;
  namespace: string;
  name: string;
  attributes: Map<string, string>;
  children: XmlElement[];
  content: string;
  /** Namespace names by prefix, including inherited ones. */
  prefixes: ReadonlyMap<string, string>;
};

const MAX_CHARS = 1_048_576;
const MAX_DEPTH = 32;
const MAX_ELEMENTS = 10_000;
const NAME = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?';
const TAG = new RegExp(`<(/?)(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`, 'y');
const ATTRIBUTE = new RegExp(`(${NAME})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, 'g');
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';

/**
 * Parses a small XML 1.0 document with namespaces: elements, attributes, text, CDATA, comments, and the five named and
 * all numbered entities. Throws BrokenXml for anything else: a DTD (so no entity can expand), a processing instruction
 * other than the declaration, names with non-ASCII characters, more than 1 Mi characters, 32 levels or 10,000 elements.
 */
export function parseXml(text: string): XmlElement {
  if (text.length > MAX_CHARS) throw new BrokenXml(`Expected XML of at most ${MAX_CHARS} characters.`);
  const declaration = /^\uFEFF?(?:<\?xml[^?<>]*\?>)?/.exec(text);
  const open: OpenElement[] = [];
  let root: OpenElement | null = null;
  let at = declaration?.[0].length ?? 0;
  let elements = 0;

  const close = (element: OpenElement): void => {
    const parent = open.at(-1);
    if (parent !== undefined) parent.children.push(element);
    else if (root === null) root = element;
    else throw new BrokenXml('Expected one root element, got a second.');
  };

  while (at < text.length) {
    const skipped = readCharacters(text, at, open.at(-1) ?? null);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    TAG.lastIndex = at;
    const tag = TAG.exec(text);
    if (tag === null) throw new BrokenXml(`Expected a tag at character ${at}.`);
    at = TAG.lastIndex;
    const [, isEnd, rawName = '', attributes = '', isEmpty] = tag;
    if (isEnd) {
      if (attributes !== '' || isEmpty || open.at(-1)?.rawName !== rawName) {
        throw new BrokenXml(`Expected the end of another element, got that of ${rawName}.`);
      }
      const ended = open.pop();
      if (ended !== undefined) close(ended);
      continue;
    }
    elements += 1;
    if (elements > MAX_ELEMENTS || open.length >= MAX_DEPTH) throw new BrokenXml('Expected a smaller XML document.');
    const element = openElement(rawName, attributes, open.at(-1)?.prefixes ?? new Map([['xml', XML_NAMESPACE]]));
    if (isEmpty) close(element);
    else open.push(element);
  }
  if (root === null || open.length > 0) throw new BrokenXml('Expected a whole XML document, got a part of one.');
  return root;
}

/** Returns the children with a namespace and name. */
export function childElements(parent: XmlElement, namespace: string, name: string): XmlElement[] {
  return parent.children.filter((child) => child.namespace === namespace && child.name === name);
}

/** Adds text, CDATA and comments at `at` to the open element. Returns the offset of their end, or `at` for a tag. */
function readCharacters(text: string, at: number, element: OpenElement | null): number {
  if (text.startsWith('<!--', at)) return endOf(text, '-->', at + 4);
  if (text.startsWith('<![CDATA[', at) && element !== null) {
    const end = endOf(text, ']]>', at + 9);
    element.content += text.slice(at + 9, end - 3);
    return end;
  }
  const next = text.indexOf('<', at);
  const end = next === -1 ? text.length : next;
  const characters = decode(text.slice(at, end));
  if (element !== null) element.content += characters;
  else if (characters.trim() !== '') throw new BrokenXml('Expected no text outside the root element.');
  return end;
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  if (found === -1) throw new BrokenXml(`Expected ${mark} after character ${from}.`);
  return found + mark.length;
}

function openElement(rawName: string, source: string, inherited: ReadonlyMap<string, string>): OpenElement {
  const attributes = new Map<string, string>();
  const prefixes = new Map(inherited);
  for (const [, key = '', double, single] of source.matchAll(ATTRIBUTE)) {
    if (attributes.has(key)) throw new BrokenXml(`Expected attribute ${key} once.`);
    const value = decode(double ?? single ?? '');
    attributes.set(key, value);
    if (key === 'xmlns') prefixes.set('', value);
    if (key.startsWith('xmlns:')) prefixes.set(key.slice(6), value);
  }
  const colon = rawName.indexOf(':');
  const prefix = colon === -1 ? '' : rawName.slice(0, colon);
  const namespace = prefixes.get(prefix) ?? (prefix === '' ? '' : null);
  if (namespace === null) throw new BrokenXml(`Expected a namespace for prefix ${prefix}.`);
  const name = rawName.slice(colon + 1);
  return { rawName, namespace, name, attributes, children: [], content: '', prefixes };
}

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,8}));|&/g, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : null;
    const character = code === null ? ENTITIES[name] : code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : null;
    if (typeof character === 'string') return character;
    throw new BrokenXml(`Expected a known entity, got ${whole}.`);
  });
}
