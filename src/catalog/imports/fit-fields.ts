import { cutText } from '../../lib/clean-text.ts';
import { readLine } from '../../lib/visible-text.ts';
import type { ListedItem } from './listed-item.ts';

/** Maximum lengths of texts that the API accepts. */
const MAX_CHARS = { title: 1_000, description: 5_000, category: 100 } as const;
/** Maximum length of the meta tag with the tags of a video. */
const MAX_KEYWORDS_CHARS = 5_000;

/**
 * Shortens texts that are longer than the API accepts, and numbers chapters and moments without a title. Returns a
 * sentence for each text that was shortened.
 */
export function fitFields<Fields extends object>(given: Fields): { fields: Fields; notes: string[] } {
  const notes: string[] = [];
  const fields: Record<string, unknown> = Object.fromEntries(Object.entries(given));
  const shortened = (name: string, maxChars: number) =>
    void notes.push(`Its ${name} is longer than ${maxChars} characters and was shortened.`);
  for (const [name, maxChars] of Object.entries(MAX_CHARS)) {
    const text = fields[name];
    if (typeof text !== 'string' || text.length <= maxChars) continue;
    fields[name] = cutText(text, maxChars);
    shortened(name, maxChars);
  }
  for (const [list, name] of [
    ['chapters', 'title'],
    ['moments', 'label'],
  ] as const) {
    if (Array.isArray(fields[list])) fields[list] = fields[list].map((mark: unknown, at) => numbered(mark, name, at));
  }
  if (Array.isArray(fields.metaTags)) {
    fields.metaTags = fields.metaTags.map((tag: unknown) => {
      const { property, value } = Object(tag);
      if (property !== 'keywords' || typeof value !== 'string' || value.length <= MAX_KEYWORDS_CHARS) return tag;
      shortened('list of tags', MAX_KEYWORDS_CHARS);
      return { property, value: cutList(value) };
    });
  }
  // The changed fields keep their types.
  return { fields: fields as Fields, notes };
}

/** Fits the texts of a listed item, so that a plan already shows what is shortened. */
export function fitItem(item: ListedItem): ListedItem {
  const { fields, notes } = fitFields({ title: item.title });
  if (item.kind === 'collection') return { ...item, ...fields };
  const video = fitFields(item.video);
  return { ...item, ...fields, video: video.fields, notes: [...item.notes, ...notes, ...video.notes] };
}

/** Numbers a chapter or moment from 1 if it has no visible title, which the API refuses. */
function numbered(mark: unknown, name: 'title' | 'label', index: number): unknown {
  // Leaves other values unchanged, so that the API refuses them.
  if (typeof mark !== 'object' || mark === null) return mark;
  const title: unknown = Object(mark)[name];
  return readLine(typeof title === 'string' ? title : '') === '' ? { ...Object(mark), [name]: `${index + 1}` } : mark;
}

/** Shortens a list of tags, each of them whole. */
function cutList(tags: string): string {
  const cut = cutText(tags, MAX_KEYWORDS_CHARS);
  const end = cut.lastIndexOf(', ');
  return end === -1 ? cut : cut.slice(0, end);
}
