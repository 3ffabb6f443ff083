import { type Kysely, sql } from 'kysely';

/**
 * Images made from a finished set: the list (`pictures`, read by the edge), and a row for each stored object, so that
 * bytes are counted and orphans found. `media_without_pictures` finds videos that still need theirs.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(PICTURES).execute(db);
}

const PICTURES = `
  alter table media add column pictures jsonb;
  create table picture (
    library_id bigint not null,
    media_id uuid not null,
    storage_key text not null,
    use text not null check (use in ('thumbnail', 'preview')),
    size_bytes bigint not null check (size_bytes > 0),
    primary key (library_id, media_id, storage_key),
    foreign key (library_id, media_id) references media (library_id, id) on delete cascade
  );
  create index media_without_pictures on media (created_at)
    where type = 'video' and state = 'finished' and pictures is null and width_px > 0;
  alter table encode_work drop constraint encode_work_kind_check;
  alter table encode_work add constraint encode_work_kind_check
    check (kind in ('pass-through', 'video', 'audio', 'thumbnail', 'pictures', 'jit-start', 'fill'));
`;
