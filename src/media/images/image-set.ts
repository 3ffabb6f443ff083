import type { Guid } from '../../lib/guid.ts';
import { countSheets, type Storyboard } from './storyboard.ts';

/**
 * Storyboard sheets from `first` (inclusive) to `end` (exclusive) that were created during the encode, and their
 * folder.
 */
export type SheetFolder = { first: number; end: number; folder: string };

/**
 * The images of a video, created by one attempt of an encode task for a timeline. `folder` is their subfolder in the
 * video's folder. Sheets that other tasks created earlier are in separate folders.
 */
export type ImageSet = {
  timelineId: Guid;
  folder: string;
  board: Storyboard;
  /** Number of thumbnail candidates. */
  posters: number;
  /** File names of the animations. */
  previews: readonly string[];
  /** Absent if all sheets are in `folder`. */
  sheetFolders?: readonly SheetFolder[];
};

/** Returns the file name of a thumbnail candidate. Candidates are numbered in order of time. */
export function posterName(number: number): string {
  return `thumbnail_${number}.jpg`;
}

export function sheetName(number: number): string {
  return `seek/_${number}.jpg`;
}

/** Returns the folder of an image of a set. */
export function folderOf({ folder, sheetFolders = [] }: ImageSet, name: string): string {
  const sheet = sheetOf(name);
  if (sheet === null) return folder;
  return sheetFolders.find(({ first, end }) => sheet >= first && sheet < end)?.folder ?? folder;
}

/** Whether a set has an image with a name. */
export function hasImage({ board, posters, previews }: ImageSet, name: string): boolean {
  const [, poster] = /^thumbnail_([1-9]\d?)\.jpg$/.exec(name) ?? [];
  if (poster !== undefined) return Number(poster) <= posters;
  const sheet = sheetOf(name);
  return sheet === null ? previews.includes(name) : sheet < countSheets(board);
}

function sheetOf(name: string): number | null {
  const [, sheet] = /^seek\/_(0|[1-9]\d{0,5})\.jpg$/.exec(name) ?? [];
  return sheet === undefined ? null : Number(sheet);
}
