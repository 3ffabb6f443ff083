import { SaxesParser, type SaxesTagNS } from 'saxes';

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
  children: XmlElement[];
  content: string;
};

/** Thrown for text that is not well-formed XML, or that exceeds the limits of `parseXml`. */
export class BrokenXml extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BrokenXml';
  }
}

const MAX_CHARS = 1_048_576;
const MAX_DEPTH = 32;
const MAX_ELEMENTS = 10_000;

/**
 * Parses a small XML 1.0 document with namespaces. Throws BrokenXml for a document that is not well-formed, a document
 * type (so no entity can expand), a processing instruction other than the declaration, more than 1 Mi characters, 32
 * levels or 10,000 elements. `prefixes` are namespace names that the surrounding document declares.
 */
export function parseXml(text: string, prefixes: Readonly<Record<string, string>> = {}): XmlElement {
  if (text.length > MAX_CHARS)
    throw new BrokenXml(`Expected XML of at most ${MAX_CHARS} characters, got ${text.length}.`);
  const tree = new Tree();
  const parser = new SaxesParser({ xmlns: true, additionalNamespaces: { ...prefixes } });
  parser.on('error', ({ message }) => refuse(`well-formed XML, got an error at ${message}`));
  parser.on('doctype', () => refuse('XML without a document type'));
  parser.on('processinginstruction', () => refuse('XML without processing instructions'));
  parser.on('opentag', (tag) => tree.open(tag));
  parser.on('closetag', () => tree.close());
  parser.on('text', (characters) => tree.add(characters));
  parser.on('cdata', (characters) => tree.add(characters));
  parser.write(text).close();
  return tree.root ?? refuse('a whole XML document, got a part of one');
}

/** Returns the children with a namespace and name. */
export function childElements(parent: XmlElement, namespace: string, name: string): XmlElement[] {
  return parent.children.filter((child) => child.namespace === namespace && child.name === name);
}

/** The elements that the parser has reported so far. */
class Tree {
  root: XmlElement | null = null;
  readonly #open: XmlElement[] = [];
  #count = 0;

  open({ uri, local, attributes }: SaxesTagNS): void {
    this.#count += 1;
    if (this.#count > MAX_ELEMENTS || this.#open.length >= MAX_DEPTH) {
      refuse(`XML of at most ${MAX_ELEMENTS} elements and ${MAX_DEPTH} levels`);
    }
    const values = new Map(Object.values(attributes).map(({ name, value }) => [name, value]));
    const element = { namespace: uri, name: local, attributes: values, children: [], content: '' };
    this.#open.at(-1)?.children.push(element);
    this.root ??= element;
    this.#open.push(element);
  }

  close(): void {
    this.#open.pop();
  }

  /** Adds text to the open element. The parser itself rejects text outside the root. */
  add(characters: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined) element.content += characters;
  }
}

function refuse(expected: string): never {
  throw new BrokenXml(`Expected ${expected}.`);
}
