import type { CaptionFile, Cue } from './cue.ts';
import { readSettings, settingsOfCodes } from './cue-settings.ts';
import { cleanCueText, cleanSubRipText } from './cue-text.ts';

const MAX_CUES = 50_000;
const MAX_PROBLEMS = 100;
const TIMING = /^\s*(\S+)\s*-->\s*(\S+)(?:\s+(.*))?$/;
const VTT_TIME = /^(?:(\d{2,4}):)?([0-5]\d):([0-5]\d)\.(\d{3})$/;
const SRT_TIME = /^(\d{1,4}):([0-5]?\d):([0-5]?\d)[,.](\d{1,3})$/;

type Format = { name: 'WebVTT' | 'SubRip'; time: RegExp; example: string; clean(text: string): string };
const VTT: Format = { name: 'WebVTT', time: VTT_TIME, example: '00:01:02.345', clean: cleanCueText };
const SRT: Format = { name: 'SubRip', time: SRT_TIME, example: '00:01:02,345', clean: cleanSubRipText };

type Block = { firstLine: number; lines: string[] };
type Problems = { errors: string[]; warnings: string[] };

/**
 * Reads a SubRip or WebVTT file (distinguished by the `WEBVTT` signature) and checks it line by line. Every problem
 * includes its line number. Drops style, region and note blocks. Accepts at most 50,000 cues.
 */
export function readCaptions(text: string): CaptionFile {
  if (isBinary(text)) return { cues: [], errors: ['Expected a text file, got a binary one.'], warnings: [] };
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\0', '\uFFFD')
    .split(/\r\n|\n|\r/);
  const isVtt = /^WEBVTT(?:[ \t].*)?$/.test(lines[0] ?? '');
  const problems: Problems = { errors: [], warnings: [] };
  const blocks = splitBlocks(lines, isVtt);
  const cues = isVtt ? readBlocks(blocks, VTT, problems) : readBlocks(blocks, SRT, problems);
  if (cues.length === 0 && problems.errors.length === 0) {
    problems.errors.push(
      isVtt ? 'The file contains no cue.' : 'Expected SubRip cues or a first line "WEBVTT", found neither.',
    );
  }
  return { cues: cues.toSorted((a, b) => a.startMs - b.startMs), ...problems };
}

/** Returns whether a file without any cue has NUL characters. Damaged captions may have some. */
function isBinary(text: string): boolean {
  return text.includes('\0') && !text.includes('-->');
}

function splitBlocks(lines: readonly string[], isVtt: boolean): Block[] {
  const blocks: Block[] = [];
  let current: Block | null = null;
  // The header block of a WebVTT file ends at the first empty line.
  let at = isVtt ? lines.indexOf('') : 0;
  if (at === -1) at = lines.length;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      current = null;
    } else if (current === null) {
      current = { firstLine: at + 1, lines: [line] };
      blocks.push(current);
    } else {
      current.lines.push(line);
    }
  }
  return blocks;
}

function readBlocks(blocks: readonly Block[], format: Format, problems: Problems): Cue[] {
  const cues: Cue[] = [];
  for (const block of blocks) {
    if (problems.errors.length >= MAX_PROBLEMS) break;
    if (cues.length >= MAX_CUES) {
      problems.errors.push(`Line ${block.firstLine}: expected at most ${MAX_CUES} cues.`);
      break;
    }
    const cue = readBlock(block, format, problems);
    if (cue !== null) cues.push(cue);
  }
  problems.warnings.splice(MAX_PROBLEMS);
  return cues;
}

function readBlock(block: Block, format: Format, problems: Problems): Cue | null {
  const [first = '', second = ''] = block.lines;
  if (format.name === 'WebVTT' && /^(NOTE|STYLE|REGION)(\s|$)/.test(first)) {
    if (!first.startsWith('NOTE')) {
      problems.warnings.push(`Line ${block.firstLine}: a ${first.split(/\s/)[0]} block was left out.`);
    }
    return null;
  }
  const timingAt = first.includes('-->') ? 0 : second.includes('-->') ? 1 : -1;
  if (timingAt === -1) {
    problems.errors.push(
      `Line ${block.firstLine}: expected a cue with a line "start --> end", found "${clip(first)}".`,
    );
    return null;
  }
  return readCue(block, timingAt, format, problems);
}

function readCue(block: Block, timingAt: number, format: Format, problems: Problems): Cue | null {
  const line = block.firstLine + timingAt;
  const timing = TIMING.exec(block.lines[timingAt] ?? '');
  const startMs = readTime(timing?.[1] ?? '', format);
  const endMs = readTime(timing?.[2] ?? '', format);
  if (startMs === null || endMs === null) {
    const found = clip(block.lines[timingAt] ?? '');
    problems.errors.push(`Line ${line}: expected times such as ${format.example}, found "${found}".`);
    return null;
  }
  if (endMs <= startMs) {
    problems.errors.push(`Line ${line}: expected a cue to end after it starts.`);
    return null;
  }
  const text = block.lines.slice(timingAt + 1).join('\n');
  if (text.trim() === '') {
    problems.warnings.push(`Line ${line}: a cue without text was left out.`);
    return null;
  }
  const settings = readSettings(timing?.[3] ?? '', (word) =>
    problems.warnings.push(`Line ${line}: the cue setting "${clip(word)}" was left out.`),
  );
  return {
    startMs,
    endMs,
    settings: format.name === 'WebVTT' ? settings : settingsOfCodes(text),
    text: format.clean(text),
  };
}

function readTime(text: string, format: Format): number | null {
  const match = format.time.exec(text);
  if (match === null) return null;
  const [, hours = '0', minutes = '0', seconds = '0', fraction = '0'] = match;
  const millis = Number(fraction.padEnd(3, '0'));
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + millis;
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
