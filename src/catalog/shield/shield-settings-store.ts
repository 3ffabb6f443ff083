import type { Db } from '../db.ts';
import { readWafSettings, type WafSettings } from '../libraries/library-settings.ts';

/** Inspection settings for requests that match no pull zone. Each pull zone has its own. */
export type ShieldSettingsStore = {
  loadUnzoned(): Promise<WafSettings>;
  /** Changes the settings and returns the new ones. */
  changeUnzoned(transition: (waf: WafSettings) => WafSettings): Promise<WafSettings>;
};

export function createShieldSettingsStore(db: Db): ShieldSettingsStore {
  const read = (tx: Db) => tx.selectFrom('shield_settings').select('settings').where('id', '=', 0);
  return {
    async loadUnzoned() {
      return readWafSettings((await read(db).executeTakeFirstOrThrow()).settings);
    },
    changeUnzoned: (transition) =>
      db.transaction().execute(async (tx) => {
        const row = await read(tx).forUpdate().executeTakeFirstOrThrow();
        const changed = transition(readWafSettings(row.settings));
        await tx
          .updateTable('shield_settings')
          .set({ settings: JSON.stringify(changed) })
          .where('id', '=', 0)
          .execute();
        return changed;
      }),
  };
}
