/** A chapter of a source: seconds from the start of its timeline. */
export type SourceChapter = { title: string; startSec: number; endSec: number };

const MOST_CHAPTERS = 500;
const MOST_TITLE_CHARACTERS = 250;

/**
 * Reads ffprobe's `-show_chapters` answer, in the order of their times: those within the timeline, which begins at
 * `startSec` of the source's clock. A chapter without a title is named by its number.
 */
export function parseChapters(
  answer: unknown,
  { startSec, durationSec }: { startSec: number; durationSec: number },
): SourceChapter[] {
  const listed = isObject(answer) && Array.isArray(answer.chapters) ? answer.chapters : [];
  return listed
    .slice(0, MOST_CHAPTERS)
    .flatMap((chapter, index) => {
      if (!isObject(chapter)) return [];
      const from = Math.max(0, Number(chapter.start_time) - startSec);
      const to = Math.min(durationSec, Number(chapter.end_time) - startSec);
      return from < to ? [{ title: titleOf(chapter, index), startSec: from, endSec: to }] : [];
    })
    .toSorted((a, b) => a.startSec - b.startSec);
}

/**
 * Chapters in whole seconds, as clients write them. Both ends are rounded alike, and none goes on where the next has
 * begun, so they never overlap. One that rounds to nothing is left out.
 */
export function inWholeSeconds(chapters: readonly SourceChapter[]): { title: string; start: number; end: number }[] {
  return chapters.flatMap(({ title, startSec, endSec }, index) => {
    const nextSec = chapters[index + 1]?.startSec ?? Number.POSITIVE_INFINITY;
    const [start, end] = [Math.round(startSec), Math.round(Math.min(endSec, nextSec))];
    return start < end ? [{ title, start, end }] : [];
  });
}

function titleOf(chapter: Record<string, unknown>, index: number): string {
  const title = isObject(chapter.tags) && typeof chapter.tags.title === 'string' ? chapter.tags.title.trim() : '';
  return title === '' ? `Chapter ${index + 1}` : title.slice(0, MOST_TITLE_CHARACTERS);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
