import type { Cue } from './cue.ts';
import { fromLegacy, settingsOfAlignment } from './cue-settings.ts';
import { escapeText } from './cue-text.ts';

const MAX_CUES = 50_000;
const TIME = /^(\d{1,4}):([0-5]?\d):([0-5]?\d)[.:](\d{1,3})$/;
/** Default vertical resolution of a script. */
const DEFAULT_HEIGHT = 288;
const TAGS = ['b', 'i', 'u'] as const;

/** Keypad alignments of styles by name, and the vertical resolution of the coordinate system. */
type Script = { alignments: ReadonlyMap<string, number>; height: number };
/** Formatting of an event's text after a code. */
type Look = { tags: Set<string>; keypad: number; isDrawing: boolean };

/**
 * Reads a SubStation Alpha script (SSA 4, ASS) as captions. Keeps italics, bold, underlining, line breaks and positions
 * at the top, in the middle or at an edge. Drops fonts, colours, movement and drawings. Escapes text that looks like a
 * WebVTT tag. Drops events without text or time.
 */
export function readAss(text: string): Cue[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const script = readScript(lines);
  const cues = new Map<string, Cue>();
  let columns: string[] = [];
  for (const line of lines) {
    if (line.startsWith('Format:')) columns = namesOf(line);
    if (!line.startsWith('Dialogue:') || cues.size >= MAX_CUES) continue;
    const cue = readEvent(fieldsOf(line, columns), script);
    // Merge the layers of a text, such as its shadow, into one caption.
    if (cue !== null) cues.set(JSON.stringify(cue), cue);
  }
  return [...cues.values()].toSorted((a, b) => a.startMs - b.startMs);
}

function readScript(lines: readonly string[]): Script {
  const alignments = new Map<string, number>();
  let columns: string[] = [];
  let isLegacy = false;
  let height = DEFAULT_HEIGHT;
  for (const line of lines) {
    if (/^\[V4 Styles\]/i.test(line)) isLegacy = true;
    const stated = /^PlayResY:\s*(\d+)/i.exec(line)?.[1];
    if (stated !== undefined) height = Number(stated) || DEFAULT_HEIGHT;
    if (line.startsWith('Format:')) columns = namesOf(line);
    if (!line.startsWith('Style:')) continue;
    const { name = '', alignment = '2' } = fieldsOf(line, columns);
    alignments.set(name, isLegacy ? fromLegacy(Number(alignment)) : Number(alignment));
  }
  return { alignments, height };
}

function namesOf(line: string): string[] {
  const names = line.slice(line.indexOf(':') + 1).split(',');
  return names.map((name) => name.trim().toLowerCase());
}

/** The last column contains the rest of the line, including commas. */
function fieldsOf(line: string, columns: readonly string[]): Record<string, string> {
  const values = line.slice(line.indexOf(':') + 1).split(',');
  return Object.fromEntries(
    columns.map((name, index) => {
      const isLast = index === columns.length - 1;
      return [name, isLast ? values.slice(index).join(',') : (values[index] ?? '').trim()];
    }),
  );
}

function readEvent(
  { start = '', end = '', style = '', text = '' }: Record<string, string>,
  script: Script,
): Cue | null {
  const [startMs, endMs] = [readTime(start), readTime(end)];
  if (startMs === null || endMs === null || endMs <= startMs) return null;
  const look: Look = {
    tags: new Set(),
    keypad: script.alignments.get(style.replace(/^\*/, '')) ?? 2,
    isDrawing: false,
  };
  // A literal brace is written `\\{`.
  const parts = text.split(/(?<!\\)(\{[^}]*\})/);
  const shown = parts.map((part) => {
    if (part.startsWith('{')) {
      applyCodes(part, look, script.height);
      return '';
    }
    return look.isDrawing ? '' : writeRun(part, look.tags);
  });
  const rows = shown.join('').split('\n');
  const kept = rows.map((row) => row.trim()).filter((row) => row.replace(/<[^>]*>/g, '') !== '');
  if (kept.length === 0) return null;
  return { startMs, endMs, settings: settingsOfAlignment(look.keypad), text: kept.join('\n') };
}

function readTime(text: string): number | null {
  const match = TIME.exec(text);
  if (match === null) return null;
  const [, hours, minutes, seconds, fraction = ''] = match;
  const wholeSec = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return wholeSec * 1000 + Number(fraction.padEnd(3, '0'));
}

function applyCodes(block: string, look: Look, height: number): void {
  for (const [, name = '', value = ''] of block.matchAll(/\\(an|a|b|i|u|p|pos|r)(?![a-z])(\([^)]*\)|-?\d*)/gi)) {
    const number = Number(value);
    if (name === 'r') look.tags.clear();
    else if (name === 'an') look.keypad = number;
    else if (name === 'a') look.keypad = fromLegacy(number);
    else if (name === 'p') look.isDrawing = number > 0;
    else if (name === 'pos') look.keypad = movedTo(look.keypad, Number(value.split(',')[1]?.replace(')', '')) / height);
    else if (number > 0) look.tags.add(name);
    else look.tags.delete(name);
  }
}

/** Returns the keypad number in the same column at a vertical position, where 0 is the top and 1 the bottom. */
function movedTo(keypad: number, share: number): number {
  if (!(share >= 0 && share <= 1)) return keypad;
  return ((keypad - 1) % 3) + (share < 1 / 3 ? 7 : share < 2 / 3 ? 4 : 1);
}

function writeRun(part: string, tags: ReadonlySet<string>): string {
  const plain = part
    .replace(/\\([{}])/g, '$1')
    .replaceAll('\\N', '\n')
    .replaceAll('\\n', ' ')
    .replaceAll('\\h', '\u00a0');
  if (plain === '') return '';
  const open = TAGS.filter((tag) => tags.has(tag));
  const wrap = (row: string) =>
    row === ''
      ? ''
      : open.map((tag) => `<${tag}>`).join('') +
        escapeText(row) +
        open
          .toReversed()
          .map((tag) => `</${tag}>`)
          .join('');
  return plain.split('\n').map(wrap).join('\n');
}
