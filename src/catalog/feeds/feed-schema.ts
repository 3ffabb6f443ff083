import type { Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';

/** Readers of a feed. `off`: nobody. `public`: everybody. `token`: everybody who sends its token. */
export type FeedAccess = 'off' | 'public' | 'token';

/** The feeds of a collection. The token is kept while the feeds do not need it. */
export type CollectionFeedTable = {
  library_id: number;
  collection_id: Guid;
  /** Null in rows of older versions, which means `public` without a token and `token` with one. */
  access: FeedAccess | null;
  title: string | null;
  description: string | null;
  author: string | null;
  language: string | null;
  category: string | null;
  is_explicit: Generated<boolean>;
  token_sealed: Buffer | null;
};
