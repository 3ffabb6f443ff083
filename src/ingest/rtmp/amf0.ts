/** A value of AMF0 (Adobe AMF 0 specification). Dates are numbers of ms. */
export type Amf0 = null | boolean | number | string | Amf0[] | { [name: string]: Amf0 };

/** Thrown for a message that is not AMF0, or is nested deeper or larger than any real client sends. */
export class BadAmf extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadAmf';
  }
}

const MARKERS = {
  number: 0,
  boolean: 1,
  string: 2,
  object: 3,
  null: 5,
  undefined: 6,
  ecma: 8,
  end: 9,
  array: 10,
  date: 11,
  long: 12,
};
const DEEPEST = 8;
const MAX_VALUES = 512;

/** Reads all values of a message. Throws `BadAmf` for damaged bytes, more than 512 values, or more than 8 levels. */
export function readAmf0(bytes: Buffer): Amf0[] {
  const reader = openReader(bytes);
  const values: Amf0[] = [];
  while (reader.left() > 0) values.push(reader.value(0));
  return values;
}

function openReader(bytes: Buffer) {
  let at = 0;
  let count = 0;
  const advance = (size: number): number => {
    if (size > bytes.length - at) throw new BadAmf(`Expected ${size} more bytes of AMF0, got ${bytes.length - at}.`);
    at += size;
    return at - size;
  };
  const text = (size: number): string => {
    const from = advance(size);
    return bytes.toString('utf8', from, from + size);
  };
  const pairs = (depth: number): { [name: string]: Amf0 } => {
    const entries: [string, Amf0][] = [];
    for (;;) {
      const name = text(bytes.readUInt16BE(advance(2)));
      if (name === '' && bytes[at] === MARKERS.end) {
        advance(1);
        return Object.fromEntries(entries);
      }
      entries.push([name, value(depth + 1)]);
    }
  };
  const array = (depth: number): Amf0[] => {
    const length = bytes.readUInt32BE(advance(4));
    if (length > MAX_VALUES) throw new BadAmf(`Expected an array of ${MAX_VALUES} values at most, got ${length}.`);
    return Array.from({ length }, () => value(depth + 1));
  };
  function value(depth: number): Amf0 {
    count += 1;
    if (count > MAX_VALUES || depth > DEEPEST) throw new BadAmf('Expected fewer AMF0 values in one message.');
    const marker = bytes.readUInt8(advance(1));
    switch (marker) {
      case MARKERS.number:
        return bytes.readDoubleBE(advance(8));
      case MARKERS.boolean:
        return bytes.readUInt8(advance(1)) !== 0;
      case MARKERS.string:
        return text(bytes.readUInt16BE(advance(2)));
      case MARKERS.object:
        return pairs(depth);
      case MARKERS.null:
      case MARKERS.undefined:
        return null;
      case MARKERS.ecma:
        advance(4);
        return pairs(depth);
      case MARKERS.array:
        return array(depth);
      case MARKERS.date: {
        const from = advance(10);
        return bytes.readDoubleBE(from);
      }
      case MARKERS.long:
        return text(bytes.readUInt32BE(advance(4)));
      default:
        throw new BadAmf(`Expected an AMF0 marker, got ${marker}.`);
    }
  }
  return { left: () => bytes.length - at, value };
}

/** Writes values one after another, as in a command. */
export function writeAmf0(...values: readonly Amf0[]): Buffer {
  return Buffer.concat(values.map(writeValue));
}

function writeValue(value: Amf0): Buffer {
  if (value === null) return Buffer.from([MARKERS.null]);
  if (typeof value === 'boolean') return Buffer.from([MARKERS.boolean, value ? 1 : 0]);
  if (typeof value === 'string') return Buffer.concat([Buffer.from([MARKERS.string]), shortText(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9);
    bytes.writeDoubleBE(value, 1);
    return bytes;
  }
  if (Array.isArray(value)) {
    const head = Buffer.alloc(5);
    head.writeUInt8(MARKERS.array, 0);
    head.writeUInt32BE(value.length, 1);
    return Buffer.concat([head, ...value.map(writeValue)]);
  }
  const pairs = Object.entries(value).flatMap(([name, one]) => [shortText(name), writeValue(one)]);
  return Buffer.concat([Buffer.from([MARKERS.object]), ...pairs, Buffer.from([0, 0, MARKERS.end])]);
}

function shortText(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
