import { type Kysely, sql } from 'kysely';

/** Bounds the searched part of a title, and finds texts of one and two letters by an index of letters and pairs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SHORT_SEARCHES).execute(db);
}

// A tuple of a B-tree holds 2,704 bytes. Any 600 characters fit, and a longer title must not fail. The pending list of
// the last index is short, because every search reads all of it.
const SHORT_SEARCHES = `
  alter table media drop column title_folded;
  alter table media add column title_folded text collate "C" not null
    generated always as (lower(left(title, 600))) stored;
  create index media_title_trigrams on media using gin (title_folded gin_trgm_ops);
  create index media_title_by_date on media (library_id, type, created_at desc, id desc) include (title_folded);

  create function letters_and_pairs(text text) returns text[] language plpgsql immutable strict parallel safe as $$
    declare
      letters text[] := string_to_array(text, null);
      found text[] := letters;
      amount integer := cardinality(letters);
    begin
      for place in 2..amount loop
        found[amount + place - 1] := letters[place - 1] || letters[place];
      end loop;
      return found;
    end
  $$;
  create index media_title_pairs on media using gin (letters_and_pairs(title_folded))
    with (gin_pending_list_limit = 512);
`;
