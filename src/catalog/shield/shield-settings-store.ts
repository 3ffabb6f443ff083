import type { Db } from '../db.ts';
import { mergeSettings, readWafSettings, type WafSettings } from '../libraries/library-settings.ts';

/** How requests of no pull zone are inspected. */
export async function loadUnzonedWaf(db: Db): Promise<WafSettings> {
  const row = await db.selectFrom('shield_settings').select('settings').where('id', '=', 0).executeTakeFirst();
  return readWafSettings(row?.settings ?? {});
}

/** Changes it; what is absent stays. */
export async function changeUnzonedWaf(db: Db, change: Partial<WafSettings>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const row = await tx
      .selectFrom('shield_settings')
      .select('settings')
      .where('id', '=', 0)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const settings = JSON.stringify(mergeSettings(row.settings, change));
    await tx.updateTable('shield_settings').set({ settings }).where('id', '=', 0).execute();
  });
}
