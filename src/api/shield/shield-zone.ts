import type { WafSettings } from '../../catalog/libraries/library-settings.ts';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import { Refused } from '../../lib/refused.ts';
import { type ShieldZoneChange, type ShieldZoneModel, WafExecutionMode } from '../models/shield-zone.ts';

/** The zone for requests without a pull zone. */
export const UNZONED = 0;

/** Converts a shield zone to its model. It has the id of its pull zone. */
export function toShieldZone(id: number, waf: WafSettings): ShieldZoneModel {
  const { Log, Block } = WafExecutionMode.values;
  return {
    shieldZoneId: id,
    pullZoneId: id,
    wafEnabled: waf.enabled,
    wafExecutionMode: waf.blocks ? Block : Log,
    wafDisabledRules: waf.disabledRules,
    wafLogOnlyRules: waf.loggedRules,
    wafRequestIgnoredHeaders: waf.ignoredHeaders,
  };
}

/** Applies a change to the settings. */
export function changeWaf(waf: WafSettings, sent: ShieldZoneChange): WafSettings {
  const mode = sent.wafExecutionMode ?? null;
  return {
    enabled: sent.wafEnabled ?? waf.enabled,
    blocks: mode === null ? waf.blocks : mode === WafExecutionMode.values.Block,
    disabledRules: sent.wafDisabledRules ?? waf.disabledRules,
    loggedRules: sent.wafLogOnlyRules ?? waf.loggedRules,
    ignoredHeaders: sent.wafRequestIgnoredHeaders ?? waf.ignoredHeaders,
  };
}

/** Returns whether a shield zone with this id exists. */
export async function isZone(id: number, pullZones: Pick<PullZoneStore, 'load'>): Promise<boolean> {
  if (id === UNZONED) return true;
  return pullZones.load(id).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Refused && error.kind === 'not-found') return false;
      throw error;
    },
  );
}

/** Throws `Refused` (`not-found`) if the shield zone does not exist. */
export async function requireZone(id: number, pullZones: Pick<PullZoneStore, 'load'>): Promise<void> {
  if (!(await isZone(id, pullZones))) throw new Refused('not-found', `There is no shield zone ${id}. Check the id.`);
}
