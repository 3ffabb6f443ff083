import { type Kysely, sql } from 'kysely';

/** Uploads in parts (tus concatenation): the value of `Upload-Concat`, and the final upload that includes a part. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table upload add column concat text, add column part_of uuid, add column part_number integer
  `.execute(db);
  await sql`create index upload_part_of on upload (part_of) where part_of is not null`.execute(db);
}
