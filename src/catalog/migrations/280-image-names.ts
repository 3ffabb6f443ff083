import { type Kysely, sql } from 'kysely';

/** Renames tables and columns to the terms of docs/glossary.md: images, and the revision of a publication. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(IMAGE_NAMES).execute(db);
}

// As in 099: the text of functions does not follow a renamed column.
const IMAGE_NAMES = String.raw`
  alter table picture rename to image;
  alter index media_without_pictures rename to media_without_images;
  alter table media rename column pictures to images;
  alter table media rename column publication to revision;
  alter table chunk rename column publication to revision;

  do $do$
  declare
    definition text;
  begin
    for definition in
      select pg_get_functiondef(p.oid) from pg_proc p
      where p.pronamespace = current_schema()::regnamespace and p.prosrc ~ '\m(new|old)\.publication\M'
    loop
      execute regexp_replace(definition, '\m(new|old)\.publication\M', '\1.revision', 'g');
    end loop;
  end
  $do$;
`;
