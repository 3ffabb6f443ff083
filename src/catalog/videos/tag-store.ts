import { type RawBuilder, sql } from 'kysely';

/**
 * Whether a video of a query over `media` has a tag: a meta tag with this property or this value, or, written
 * `property=value`, with both. Each form is answered by the index over meta tags.
 */
export function hasTag(tag: string): RawBuilder<boolean> {
  const split = tag.indexOf('=');
  const pair = [{ property: tag.slice(0, split), value: tag.slice(split + 1) }];
  if (split > 0) return sql<boolean>`media.meta_tags @> ${JSON.stringify(pair)}::jsonb`;
  const [property, value] = [[{ property: tag }], [{ value: tag }]].map((one) => JSON.stringify(one));
  return sql<boolean>`(media.meta_tags @> ${property}::jsonb or media.meta_tags @> ${value}::jsonb)`;
}
