/** A cue of a storyboard: the part of a sheet that shows a stretch of the video. */
export type Still = {
  startSec: number;
  endSec: number;
  url: string;
  x: number;
  y: number;
  width: number;
  height: number;
};

const TIMES = /^(?:(\d+):)?(\d\d):(\d\d\.\d{3}) --> (?:(\d+):)?(\d\d):(\d\d\.\d{3})/;
const PART = /^(.+)#xywh=(\d+),(\d+),(\d+),(\d+)$/;

/** Reads the cues of a storyboard's WebVTT; those that name no part of a sheet are left out. `base` is its address. */
export function readStoryboard(text: string, base: string): Still[] {
  const stills: Still[] = [];
  for (const block of text.split(/\r?\n\r?\n/)) {
    const lines = block.split(/\r?\n/);
    const at = lines.findIndex((line) => line.includes('-->'));
    const [times, part] = [TIMES.exec(lines[at] ?? ''), PART.exec(lines[at + 1] ?? '')];
    if (times === null || part === null) continue;
    const [, fromH = '0', fromM = '', fromS = '', toH = '0', toM = '', toS = ''] = times;
    const [, file = '', x = '', y = '', width = '', height = ''] = part;
    stills.push({
      startSec: Number(fromH) * 3600 + Number(fromM) * 60 + Number(fromS),
      endSec: Number(toH) * 3600 + Number(toM) * 60 + Number(toS),
      url: new URL(file, base).href,
      ...{ x: Number(x), y: Number(y), width: Number(width), height: Number(height) },
    });
  }
  return stills;
}

export function findStill(stills: readonly Still[], sec: number): Still | null {
  return stills.find(({ startSec, endSec }) => startSec <= sec && sec < endSec) ?? stills.at(-1) ?? null;
}
