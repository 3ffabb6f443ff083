import { type Kysely, sql } from 'kysely';

/** Adds the measured loudness of audio renditions. Plans of normalised ones now contain the target loudness in LUFS. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table rendition add column loudness jsonb`.execute(db);
  await sql`
    update rendition set plan = plan - 'normaliseLoudness' || '{"loudnessTargetLufs": -16}'
    where plan->>'normaliseLoudness' = 'true'
  `.execute(db);
}
