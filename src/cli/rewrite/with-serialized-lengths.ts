/** A replacement of the characters from `start` to `end` of a line. */
export type LineEdit = { start: number; end: number; text: string };

/** `uncorrected`: number of strings that contain an edit and do not end where their length says. */
type Corrected = { edits: LineEdit[]; uncorrected: number };

/** Notations of a string: as it is, with backslashes before quotes (MySQL), or with doubled single quotes (SQL). */
type Notation = 'plain' | 'backslashes' | 'doubled';

const OPENED = /(?<![\w])s:(?<length>[0-9]{1,10}):(?<backslash>\\?)"/g;

/**
 * Adds the edits that correct the lengths of serialized PHP strings (`s:5:"hello";`) around `edits`. Without these
 * edits, WordPress and other programs discard the whole value. The line has one character per byte. In an SQL dump, the
 * quotes are escaped, and an escaped character counts once.
 */
export function withSerializedLengths(line: string, edits: readonly LineEdit[]): Corrected {
  const all = [...edits];
  let uncorrected = 0;
  const pending = edits.toSorted((one, other) => one.start - other.start);
  /** Edits after the current position, with the nearest one last. */
  const after: LineEdit[] = [];
  // Inner strings begin later. The length of an outer string depends on the digits in inner ones.
  for (const match of [...line.matchAll(OPENED)].toReversed()) {
    const { length = '', backslash = '' } = match.groups ?? {};
    const start = match.index + match[0].length;
    for (let next = pending.at(-1); next !== undefined && next.start >= start; next = pending.at(-1)) {
      pending.pop();
      after.push(next);
    }
    const found = findEnd(line, start, { bytes: Number(length), backslash });
    if (found === null) {
      const [nearest] = after.slice(-1);
      if (nearest !== undefined && nearest.start < start + Number(length)) uncorrected += 1;
      continue;
    }
    const { end, notation } = found;
    let bytes = Number(length);
    for (
      let at = after.length - 1, edit = after[at];
      edit !== undefined && edit.end <= end;
      at -= 1, edit = after[at]
    ) {
      bytes += sizeOf(edit.text, notation) - sizeOf(line.slice(edit.start, edit.end), notation);
    }
    const at = match.index + 2;
    if (bytes === Number(length)) continue;
    const edit = { start: at, end: at + length.length, text: `${bytes}` };
    all.push(edit);
    after.push(edit);
  }
  return { edits: all, uncorrected };
}

/**
 * Returns the minimum length that this text must have so that its serialized strings are whole, and at most `maximum`.
 * Longer strings are ignored, because they are most likely none.
 */
export function lengthOfSerialized(text: string, maximum: number): number {
  let needed = 0;
  for (const match of text.matchAll(OPENED)) {
    const { length = '', backslash = '' } = match.groups ?? {};
    const notation = backslash === '' ? 'plain' : 'backslashes';
    const end = skipBytes(text, match.index + match[0].length, { bytes: Number(length), notation });
    const whole = end + backslash.length + 2;
    if (whole <= maximum) needed = Math.max(needed, whole);
  }
  return needed;
}

type Opened = { bytes: number; backslash: string };

/** Returns the end of a string, or null if there is no closing quote. */
function findEnd(
  line: string,
  start: number,
  { bytes, backslash }: Opened,
): { end: number; notation: Notation } | null {
  for (const notation of backslash === '' ? (['plain', 'doubled'] as const) : (['backslashes'] as const)) {
    const end = skipBytes(line, start, { bytes, notation });
    if (line.startsWith(`${backslash}";`, end)) return { end, notation };
  }
  return null;
}

/** Returns the position that is `bytes` bytes after `start`. An escaped byte takes two characters. */
function skipBytes(line: string, start: number, { bytes, notation }: { bytes: number; notation: Notation }): number {
  if (notation === 'plain') return start + bytes;
  let at = start;
  let left = bytes;
  for (; left > 0 && at < line.length; left -= 1) {
    const isEscape = notation === 'backslashes' ? line[at] === '\\' : line.startsWith("''", at);
    at += isEscape ? 2 : 1;
  }
  return at + left;
}

function sizeOf(text: string, notation: Notation): number {
  if (notation === 'plain') return text.length;
  return text.replaceAll(notation === 'backslashes' ? /\\./g : /''/g, '.').length;
}
