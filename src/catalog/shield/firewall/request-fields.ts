import { decodeUri } from './decode-text.ts';

/** The parts of a request that the firewall inspects: its first line and its headers. Bodies are not inspected. */
export type InspectedRequest = {
  method: string;
  /** The target as sent. */
  url: string;
  /** Such as `1.1`. */
  httpVersion: string;
  /** Alternating names and values, as sent. */
  rawHeaders: readonly string[];
  address: string;
};

/**
 * A part of a request under the name of its collection, such as `id` of ARGS. The key is empty for parts that are not
 * collections.
 */
export type Field = { collection: Collection; key: string; value: string };

export const COLLECTIONS = [
  ...['REQUEST_LINE', 'REQUEST_METHOD', 'REQUEST_PROTOCOL', 'REQUEST_URI', 'REQUEST_URI_RAW', 'REQUEST_FILENAME'],
  ...['REQUEST_BASENAME', 'QUERY_STRING', 'REMOTE_ADDR', 'ARGS_COMBINED_SIZE', 'ARGS', 'ARGS_NAMES'],
  ...['REQUEST_HEADERS', 'REQUEST_HEADERS_NAMES', 'REQUEST_COOKIES', 'REQUEST_COOKIES_NAMES'],
] as const;
export type Collection = (typeof COLLECTIONS)[number];

/** Maximum characters of a field. Longer fields are cut, and their requests logged. */
export const MAX_FIELD_CHARS = 8_192;
const MAX_FIELDS = 400;

/** The fields of a request by collection, and whether any part was cut. */
export type RequestFields = { fields: ReadonlyMap<Collection, readonly Field[]>; isCut: boolean };

/** Splits a request into fields. `ignoredHeaders` are in lower case. */
export function readFields(request: InspectedRequest, ignoredHeaders: ReadonlySet<string>): RequestFields {
  const fields = new Map<Collection, Field[]>();
  let isCut = false;
  let count = 0;
  const add = (collection: Collection, key: string, value: string) => {
    count += 1;
    isCut ||= value.length > MAX_FIELD_CHARS || count > MAX_FIELDS;
    if (count > MAX_FIELDS) return;
    const list = fields.get(collection) ?? [];
    list.push({ collection, key, value: value.slice(0, MAX_FIELD_CHARS) });
    fields.set(collection, list);
  };
  addTarget(request, add);
  addHeaders(request, ignoredHeaders, add);
  return { fields, isCut };
}

type Add = (collection: Collection, key: string, value: string) => void;

function addTarget({ method, url, httpVersion, address }: InspectedRequest, add: Add): void {
  const [whole = ''] = url.split('#', 1);
  const mark = whole.indexOf('?');
  const path = mark === -1 ? whole : whole.slice(0, mark);
  const query = mark === -1 ? '' : whole.slice(mark + 1);
  add('REQUEST_LINE', '', `${method} ${url} HTTP/${httpVersion}`);
  add('REQUEST_METHOD', '', method);
  add('REQUEST_PROTOCOL', '', `HTTP/${httpVersion}`);
  add('REQUEST_URI', '', decodeTarget(whole.replace(/^https?:\/\/[^/?]*/i, '')));
  add('REQUEST_URI_RAW', '', url);
  add('REQUEST_FILENAME', '', path);
  add('REQUEST_BASENAME', '', path.slice(path.lastIndexOf('/') + 1));
  add('REMOTE_ADDR', '', address);
  if (query === '') return;
  add('QUERY_STRING', '', query);
  let size = 0;
  for (const pair of query.split('&')) {
    const [name = '', value = ''] = splitPair(pair).map((text) => decodeUri(text, true));
    size += name.length + value.length;
    add('ARGS', name, value);
    add('ARGS_NAMES', name, name);
  }
  add('ARGS_COMBINED_SIZE', '', String(size));
}

/** ModSecurity 3 decodes only this field beforehand: rules decode again, and find double encoding. */
function decodeTarget(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function addHeaders({ rawHeaders }: InspectedRequest, ignored: ReadonlySet<string>, add: Add): void {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const value = rawHeaders[at + 1] ?? '';
    const key = name.toLowerCase();
    if (ignored.has(key)) continue;
    add('REQUEST_HEADERS', key, value);
    add('REQUEST_HEADERS_NAMES', key, name);
    if (key !== 'cookie') continue;
    for (const pair of value.split(';')) {
      const [cookie = '', content = ''] = splitPair(pair.trim());
      add('REQUEST_COOKIES', cookie, content);
      add('REQUEST_COOKIES_NAMES', cookie, cookie);
    }
  }
}

function splitPair(pair: string): [string, string] {
  const index = pair.indexOf('=');
  return index === -1 ? [pair, ''] : [pair.slice(0, index), pair.slice(index + 1)];
}
