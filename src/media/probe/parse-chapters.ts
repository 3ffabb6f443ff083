/** A chapter of a source, in seconds from the start of its timeline. */
export type SourceChapter = { title: string; startSec: number; endSec: number };

const MAX_CHAPTERS = 500;
const MAX_TITLE_CHARACTERS = 250;

/**
 * Parses ffprobe's `-show_chapters` output. Returns the chapters within the timeline, which begins at `startSec` of the
 * source's clock, sorted by time. The title of a chapter without one is its number.
 */
export function parseChapters(
  answer: unknown,
  { startSec, durationSec }: { startSec: number; durationSec: number },
): SourceChapter[] {
  const listed = isObject(answer) && Array.isArray(answer.chapters) ? answer.chapters : [];
  return listed
    .slice(0, MAX_CHAPTERS)
    .flatMap((chapter, index) => {
      if (!isObject(chapter)) return [];
      const from = Math.max(0, Number(chapter.start_time) - startSec);
      const to = Math.min(durationSec, Number(chapter.end_time) - startSec);
      return from < to ? [{ title: titleOf(chapter, index), startSec: from, endSec: to }] : [];
    })
    .toSorted((a, b) => a.startSec - b.startSec);
}

/**
 * Converts chapters to whole seconds, as clients expect. Start and end are rounded in the same way, and no chapter
 * extends past the start of the next, so chapters never overlap. Drops a chapter that rounds to zero length.
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
  return title === '' ? `Chapter ${index + 1}` : title.slice(0, MAX_TITLE_CHARACTERS);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
