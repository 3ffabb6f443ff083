import { type Kysely, sql } from 'kysely';

/** Videos composed of parts of others: their composition, and encode tasks of that kind. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(COMPOSITION).execute(db);
}

// The program defines the kinds of tasks. Otherwise each migration that adds one would have to list all others here.
const COMPOSITION = `
  alter table encode_work drop constraint encode_work_kind_check;
  alter table encode_work add constraint encode_work_kind_check check (kind <> '');
  create table composition (
    library_id bigint not null,
    media_id uuid not null,
    recipe jsonb not null,
    primary key (library_id, media_id),
    foreign key (library_id, media_id) references media (library_id, id) on delete cascade
  );
`;
