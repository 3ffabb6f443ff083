import type { ColumnType, Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { CreatedAt } from '../account-schema.ts';
import type { AuthorKind } from './comment.ts';

/** A review comment of a video, or a reply to one. */
export type ReviewCommentTable = {
  id: Guid;
  library_id: number;
  media_id: Guid;
  /** Comment that a reply belongs to, or null for a comment. */
  parent_id: Guid | null;
  /** Share page on which it was written, or null for the API, and after the share was deleted. */
  share_id: Guid | null;
  /** Position in the video. Replies have that of their comment. */
  at_ms: number;
  content: string;
  author_kind: AuthorKind;
  /** Id of the person, name of the key, or e-mail address; empty for guests. */
  author_id: string;
  author_name: string;
  resolved_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  resolved_by: Generated<string | null>;
  created_at: CreatedAt;
  edited_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
};
