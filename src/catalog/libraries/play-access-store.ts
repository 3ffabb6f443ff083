import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db } from '../db.ts';
import { readLibrarySettings } from './library-settings.ts';
import type { DirectPlayRule, ReferrerRules } from './referrer.ts';

/** Who may play a library's videos. `tokenKeys` are those that sign embed tokens; null where none is asked for. */
export type PlayAccess = { rules: ReferrerRules & DirectPlayRule; tokenKeys: readonly string[] | null };

/** Loads who may play the videos of a library; null when there is none. */
export async function loadPlayAccess(db: Db, secretBox: SecretBox, libraryId: number): Promise<PlayAccess | null> {
  const row = await db
    .selectFrom('library')
    .innerJoin('pull_zone', 'pull_zone.library_id', 'library.id')
    .select(['library.settings', 'library.api_key_sealed', 'pull_zone.security_key_sealed'])
    .where('library.id', '=', libraryId)
    .where('library.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { access } = readLibrarySettings(row.settings);
  const sealed = [row.security_key_sealed, row.api_key_sealed];
  return {
    rules: access,
    tokenKeys: access.playerTokenRequired ? sealed.map((key) => secretBox.open(key)) : null,
  };
}
