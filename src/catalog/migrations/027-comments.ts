import { type Kysely, sql } from 'kysely';

/**
 * Adds review comments, and lets share pages accept them. Older versions ignore both: their edges show share pages
 * without comments. Comments of a deleted share stay with the video.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table share add column allows_comments boolean not null default false`.execute(db);
  await sql`
    create table review_comment (
      id uuid primary key,
      library_id bigint not null,
      media_id uuid not null,
      parent_id uuid references review_comment on delete cascade,
      share_id uuid references share on delete set null,
      at_ms bigint not null,
      content text not null,
      author_kind text not null,
      author_id text not null,
      author_name text not null,
      resolved_at timestamptz,
      resolved_by text,
      created_at timestamptz not null default now(),
      edited_at timestamptz,
      foreign key (library_id, media_id) references media (library_id, id) on delete cascade
    )`.execute(db);
  await sql`create index review_comment_media on review_comment (library_id, media_id, at_ms, id)`.execute(db);
  await sql`create index review_comment_parent on review_comment (parent_id) where parent_id is not null`.execute(db);
  await sql`create index review_comment_share on review_comment (share_id) where share_id is not null`.execute(db);
}
