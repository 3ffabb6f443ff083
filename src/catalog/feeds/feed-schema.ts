import type { Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';

/** A feed of a collection. Without a token, everybody may read it. */
export type CollectionFeedTable = {
  library_id: number;
  collection_id: Guid;
  title: string | null;
  description: string | null;
  author: string | null;
  language: string | null;
  category: string | null;
  is_explicit: Generated<boolean>;
  token_sealed: Buffer | null;
};
