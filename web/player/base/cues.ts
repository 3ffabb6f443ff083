/** A cue of a WebVTT file. `text` is the original text, including its tags. */
export type Cue = { startSec: number; endSec: number; text: string };

const TIMES = /^(?:(\d+):)?(\d\d):(\d\d\.\d{3})\s+-->\s+(?:(\d+):)?(\d\d):(\d\d\.\d{3})/;

/** Reads the cues of a WebVTT file. Skips blocks without times, such as notes and styles. */
export function readCues(text: string): Cue[] {
  const cues: Cue[] = [];
  for (const block of text.split(/(?:\r?\n){2,}/)) {
    const lines = block.split(/\r?\n/);
    const index = lines.findIndex((line) => line.includes('-->'));
    const times = TIMES.exec(lines[index] ?? '');
    if (times === null) continue;
    const [, fromH, fromM, fromS, toH, toM, toS] = times;
    const startSec = toSec(fromH, fromM, fromS);
    cues.push({
      startSec,
      endSec: toSec(toH, toM, toS),
      text: lines
        .slice(index + 1)
        .join('\n')
        .trim(),
    });
  }
  return cues;
}

function toSec(hours = '0', minutes = '0', seconds = '0'): number {
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}
