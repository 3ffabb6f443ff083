import { type Kysely, sql } from 'kysely';

/**
 * The key sets of protected media, sealed, and the number of each rendition that its initialisation vectors contain.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(DRM).execute(db);
}

const DRM = `
  create table drm_package (
    library_id bigint not null,
    media_id uuid not null,
    number integer not null check (number > 0),
    scheme text not null check (scheme in ('cenc', 'cbcs')),
    keys_sealed bytea not null,
    signals jsonb not null default '[]',
    created_at timestamptz not null default now(),
    retired_at timestamptz,
    primary key (library_id, media_id, number),
    foreign key (library_id, media_id) references media (library_id, id) on delete cascade
  );
  create index drm_package_retired on drm_package (retired_at) where retired_at is not null;
  alter table rendition add column lane bigint generated always as identity;
`;
