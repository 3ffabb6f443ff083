import type { Guid } from '../../lib/guid.ts';
import { countSheets, type Storyboard } from './storyboard.ts';

/**
 * The pictures of a video, all made by one attempt of one encode task from the set on a timeline. `folder` is where they
 * lie below the video's own.
 */
export type PictureSet = {
  timelineId: Guid;
  folder: string;
  board: Storyboard;
  /** Thumbnails to choose from. */
  posters: number;
  /** Names of the animations. */
  previews: readonly string[];
};

/** Names of the thumbnails to choose from, in the order of their times. */
export function posterName(number: number): string {
  return `thumbnail_${number}.jpg`;
}

export function sheetName(number: number): string {
  return `seek/_${number}.jpg`;
}

/** Whether a set has a picture of a name. */
export function hasPicture({ board, posters, previews }: PictureSet, name: string): boolean {
  const [, poster] = /^thumbnail_([1-9]\d?)\.jpg$/.exec(name) ?? [];
  if (poster !== undefined) return Number(poster) <= posters;
  const [, sheet] = /^seek\/_(0|[1-9]\d{0,5})\.jpg$/.exec(name) ?? [];
  return sheet === undefined ? previews.includes(name) : Number(sheet) < countSheets(board);
}
