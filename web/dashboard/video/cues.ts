import { t } from '../base/language.ts';

/** A caption line, with times in seconds. */
export type Cue = { startSec: number; endSec: number; text: string };

const TIMES = /^((?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3})\s*-->\s*((?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3})/;

/** Reads the cues of a WebVTT text (W3C WebVTT section 4.1). Skips styles, notes and cue settings. */
export function readCues(vtt: string): Cue[] {
  return vtt
    .replaceAll('\r', '')
    .split(/\n{2,}/)
    .flatMap((block) => {
      const lines = block.split('\n');
      const index = lines.findIndex((line) => TIMES.test(line));
      const [, start, end] = TIMES.exec(lines[index] ?? '') ?? [];
      if (start === undefined || end === undefined) return [];
      return [
        {
          startSec: readSec(start),
          endSec: readSec(end),
          text: lines
            .slice(index + 1)
            .join('\n')
            .trim(),
        },
      ];
    });
}

export function writeCues(cues: readonly Cue[]): string {
  const blocks = cues.map(({ startSec, endSec, text }) => {
    // An empty line would end the cue.
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return [`${writeSec(startSec)} --> ${writeSec(endSec)}`, ...lines].join('\n');
  });
  return `WEBVTT\n\n${blocks.join('\n\n')}\n`;
}

/** Returns the fault of each invalid cue, by its index. */
export function findFaults(cues: readonly Cue[]): Map<number, string> {
  const faults = new Map<number, string>();
  cues.forEach(({ startSec, endSec, text }, index) => {
    const before = cues[index - 1];
    if (Number.isNaN(startSec) || Number.isNaN(endSec))
      faults.set(index, t('Enter a time such as 1:02.500 or 0:01:02.500.'));
    else if (endSec <= startSec) faults.set(index, t('The line ends before it starts.'));
    else if (before !== undefined && startSec < before.endSec)
      faults.set(index, t('The line starts before the previous one ends.'));
    else if (text.trim() === '') faults.set(index, t('The line has no text.'));
  });
  return faults;
}

/** Reads `1:02.500` as seconds. NaN if it is not a time. */
export function readSec(text: string): number {
  if (!/^\d+(:\d{1,2}){0,2}([.,]\d{1,3})?$/.test(text.trim())) return Number.NaN;
  return text
    .trim()
    .replace(',', '.')
    .split(':')
    .reduce((sec, part) => sec * 60 + Number(part), 0);
}

export function writeSec(sec: number): string {
  const ms = Math.round(sec * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map(two).join(':');
  return `${clock}.${String(ms % 1000).padStart(3, '0')}`;
}
