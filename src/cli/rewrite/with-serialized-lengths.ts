/** A replacement of the characters from `start` to `end` of a line. */
export type LineEdit = { start: number; end: number; text: string };

/**
 * Adds the edits that correct the lengths of serialized PHP strings (`s:5:"hello";`) around `edits`. Without these
 * edits, WordPress and other programs discard the whole value. The line has one character per byte. In an SQL dump, the
 * quotes are escaped, and an escaped character counts once.
 */
export function withSerializedLengths(line: string, edits: readonly LineEdit[]): LineEdit[] {
  const all = [...edits];
  const pending = edits.toSorted((one, other) => one.start - other.start);
  /** Edits after the current position, with the nearest one last. */
  const after: LineEdit[] = [];
  const opened = [...line.matchAll(/(?<![\w])s:(?<length>[0-9]{1,10}):(?<backslash>\\?)"/g)];
  // Inner strings begin later. The length of an outer string depends on the digits in inner ones.
  for (const match of opened.toReversed()) {
    const { length = '', backslash = '' } = match.groups ?? {};
    const isEscaped = backslash !== '';
    const start = match.index + match[0].length;
    for (let next = pending.at(-1); next !== undefined && next.start >= start; next = pending.at(-1)) {
      pending.pop();
      after.push(next);
    }
    const end = skipBytes(line, start, { bytes: Number(length), isEscaped });
    if (!line.startsWith(`${backslash}";`, end)) continue;
    let bytes = Number(length);
    for (
      let at = after.length - 1, edit = after[at];
      edit !== undefined && edit.end <= end;
      at -= 1, edit = after[at]
    ) {
      bytes += sizeOf(edit.text, isEscaped) - sizeOf(line.slice(edit.start, edit.end), isEscaped);
    }
    const at = match.index + 2;
    if (bytes === Number(length)) continue;
    const edit = { start: at, end: at + length.length, text: `${bytes}` };
    all.push(edit);
    after.push(edit);
  }
  return all;
}

/** Returns the position that is `bytes` bytes after `start`. An escaped byte takes two characters. */
function skipBytes(line: string, start: number, { bytes, isEscaped }: { bytes: number; isEscaped: boolean }): number {
  if (!isEscaped) return start + bytes;
  let at = start;
  for (let left = bytes; left > 0 && at < line.length; left -= 1) at += line[at] === '\\' ? 2 : 1;
  return at;
}

function sizeOf(text: string, isEscaped: boolean): number {
  return isEscaped ? text.replaceAll(/\\./g, '.').length : text.length;
}
