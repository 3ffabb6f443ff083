import type { VideoModel } from '../../../src/api/models/video.ts';

type MetaTag = VideoModel['metaTags'][number];

/** Property of a tag: one meta tag each, as Open Graph describes them. */
const TAG = 'video:tag';
/** Property of a comma-separated list of tags, which importers write. */
const KEYWORDS = 'keywords';
const DESCRIPTION = 'description';

/** Returns the tags of a video, without duplicates. */
export function readTags(metaTags: readonly MetaTag[]): string[] {
  const single = metaTags.filter(({ property }) => property === TAG).map(({ value }) => (value ?? '').trim());
  return [...new Set([...single, ...metaTags.filter(isKeywords).flatMap(splitTags)])].filter((tag) => tag !== '');
}

/**
 * Returns the meta tags with the video's tags replaced. Tags in a keyword list stay in that list, and new tags become
 * separate meta tags.
 */
export function withTags(metaTags: readonly MetaTag[], tags: readonly string[]): MetaTag[] {
  const wanted = new Set(tags);
  const kept = metaTags.flatMap((one): MetaTag[] => {
    if (one.property === TAG) return [];
    if (!isKeywords(one)) return [one];
    const words = splitTags(one).filter((tag) => wanted.has(tag));
    return words.length === 0 ? [] : [{ ...one, value: words.join(', ') }];
  });
  const listed = new Set(kept.filter(isKeywords).flatMap(splitTags));
  return [...kept, ...tags.filter((tag) => !listed.has(tag)).map((value) => ({ property: TAG, value }))];
}

/** Returns the meta tags that no other field of the page shows. */
export function otherMetaTags(metaTags: readonly MetaTag[]): MetaTag[] {
  return metaTags.filter(({ property }) => ![TAG, KEYWORDS, DESCRIPTION].includes(property ?? ''));
}

/** Replaces the meta tags that no other field shows, and keeps the rest. */
export function withOtherMetaTags(metaTags: readonly MetaTag[], others: readonly MetaTag[]): MetaTag[] {
  const before = new Set(otherMetaTags(metaTags));
  return [...metaTags.filter((one) => !before.has(one)), ...others];
}

/** Returns the description: the video's own, or else the meta tag that importers write. */
export function readDescription({ description, metaTags }: Pick<VideoModel, 'description' | 'metaTags'>): string {
  return description ?? metaTags.find(({ property }) => property === DESCRIPTION)?.value ?? '';
}

/**
 * Returns the meta tags with a new description in the description meta tag. If there is no such tag, returns the same
 * array.
 */
export function withDescription(metaTags: readonly MetaTag[], description: string): readonly MetaTag[] {
  const others = metaTags.filter(({ property }) => property !== DESCRIPTION);
  if (others.length === metaTags.length) return metaTags;
  return description === '' ? others : [...others, { property: DESCRIPTION, value: description }];
}

type Edits = {
  tags?: readonly string[] | undefined;
  others?: readonly MetaTag[] | undefined;
  description?: string | undefined;
};

/** Returns the field `metaTags` of a save. Omits it if the edits change no meta tag, because it replaces them all. */
export function toMetaTags(stored: readonly MetaTag[], edits: Edits): { metaTags?: readonly MetaTag[] } {
  let metaTags = stored;
  if (edits.others !== undefined) metaTags = withOtherMetaTags(metaTags, edits.others);
  if (edits.tags !== undefined) metaTags = withTags(metaTags, edits.tags);
  if (edits.description !== undefined) metaTags = withDescription(metaTags, edits.description);
  return metaTags === stored ? {} : { metaTags };
}

function isKeywords({ property }: MetaTag): boolean {
  return property === KEYWORDS;
}

function splitTags({ value }: MetaTag): string[] {
  return (value ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
