import { type Kysely, sql } from 'kysely';

/** Audio renditions keep their measured loudness. Levelled ones name the loudness that they get. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table rendition add column loudness jsonb`.execute(db);
  await sql`
    update rendition set plan = plan - 'normaliseLoudness' || '{"loudnessTargetLufs": -16}'
    where plan->>'normaliseLoudness' = 'true'
  `.execute(db);
}
