/** Rows and columns of one sheet. */
export const SHEET_SIDE = 6;
export const TILES_PER_SHEET = SHEET_SIDE * SHEET_SIDE;

/** Storyboard of a video. Tile n shows the frame at `n * everySec`. Tiles fill sheets of 6 x 6 row by row. */
export type Storyboard = {
  durationMs: number;
  everySec: number;
  frames: number;
  tileWidthPx: number;
  tileHeightPx: number;
};

const TILE_WIDTH_PX = 300;
const MIN_TILE_HEIGHT_PX = 16;
const MAX_TILE_HEIGHT_PX = 600;
const SHORT_MS = 10_000;
/** Maximum number of ranges. The ranges of a long video contain more sheets each. */
const MAX_RANGES = 32;

/**
 * Plans a storyboard with a tile every 2 s, or every second for a video shorter than 10 s. Tiles are 300 pixels wide.
 * Their height follows from the frame's aspect ratio, and is at most 600 pixels. Narrower frames are centred in their
 * tile.
 */
export function planStoryboard(frame: { widthPx: number; heightPx: number }, durationMs: number): Storyboard {
  const everySec = tileSec(durationMs);
  const heightPx = 2 * Math.round((TILE_WIDTH_PX * frame.heightPx) / frame.widthPx / 2);
  return {
    durationMs,
    everySec,
    frames: countTiles(durationMs),
    tileWidthPx: TILE_WIDTH_PX,
    tileHeightPx: Math.min(MAX_TILE_HEIGHT_PX, Math.max(MIN_TILE_HEIGHT_PX, heightPx)),
  };
}

/** Sheets `first` (inclusive) to `end` (exclusive), and the time range of their frames. */
export type SheetRange = { first: number; end: number; fromSec: number; toSec: number };

/** Returns the sheets `first` to `end` of a storyboard. */
export function sheetRange(durationMs: number, first: number, end: number): SheetRange {
  const sheetSec = TILES_PER_SHEET * tileSec(durationMs);
  return { first, end, fromSec: first * sheetSec, toSec: Math.min(durationMs / 1000, end * sheetSec) };
}

/**
 * Divides a storyboard into ranges that can be created independently. A range has one sheet, or several for a long
 * video.
 */
export function planSheetRanges(durationMs: number): SheetRange[] {
  const sheets = countSheets({ frames: countTiles(durationMs) });
  const each = Math.ceil(sheets / MAX_RANGES);
  return Array.from({ length: Math.ceil(sheets / each) }, (_, index) =>
    sheetRange(durationMs, index * each, Math.min(sheets, (index + 1) * each)),
  );
}

/** Returns the sheets of a storyboard that are not stored, in order, with adjacent ones merged. */
export function missingSheets(durationMs: number, stored: readonly { first: number; end: number }[]): SheetRange[] {
  const sheets = countSheets({ frames: countTiles(durationMs) });
  const missing: SheetRange[] = [];
  let at = 0;
  for (const { first, end } of [...stored].sort((a, b) => a.first - b.first)) {
    if (first > at) missing.push(sheetRange(durationMs, at, first));
    at = Math.max(at, end);
  }
  return at < sheets ? [...missing, sheetRange(durationMs, at, sheets)] : missing;
}

function tileSec(durationMs: number): number {
  return durationMs < SHORT_MS ? 1 : 2;
}

function countTiles(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs / (1000 * tileSec(durationMs))));
}

export function countSheets({ frames }: Pick<Storyboard, 'frames'>): number {
  return Math.ceil(frames / TILES_PER_SHEET);
}

/**
 * Writes the WebVTT file that maps times to regions of sheets, as players read thumbnails: `_N.jpg#xywh=x,y,w,h`, with
 * URLs relative to the file.
 */
export function writeStoryboardVtt(board: Storyboard): string {
  const cues = Array.from({ length: board.frames }, (_, frame) => {
    const startMs = frame * board.everySec * 1000;
    const endMs = Math.min(board.durationMs, startMs + board.everySec * 1000);
    const tile = frame % TILES_PER_SHEET;
    const x = (tile % SHEET_SIDE) * board.tileWidthPx;
    const y = Math.floor(tile / SHEET_SIDE) * board.tileHeightPx;
    const place = [x, y, board.tileWidthPx, board.tileHeightPx].join(',');
    return `${writeTime(startMs)} --> ${writeTime(endMs)}\n_${Math.floor(frame / TILES_PER_SHEET)}.jpg#xywh=${place}\n`;
  });
  return ['WEBVTT\n', ...cues].join('\n');
}

function writeTime(ms: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map(two).join(':');
  return `${clock}.${String(ms % 1000).padStart(3, '0')}`;
}
