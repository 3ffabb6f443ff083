import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { SettingsReport } from '../catalog/imports/settings-report.ts';
import { SECURITY_KEY_LENGTH } from '../catalog/libraries/library.ts';
import type { PullZoneStore } from '../catalog/pull-zones/pull-zone-store.ts';
import type { ImportedSettings, SourceSettings } from '../jobs/imports/settings-importer.ts';
import { Refused } from '../lib/refused.ts';
import { PortableSettingsModel } from './models/portable-settings.ts';
import { CreateWebhookEndpointModel } from './models/webhook.ts';
import { readHostname } from './pull-zones/change-hostnames.ts';
import { shaped } from './read-json-body.ts';
import { type RestoreDeps, restoreSettings } from './restore-settings.ts';
import { readEndpointFields } from './webhooks/webhook-endpoints.ts';

type Deps = RestoreDeps & { pullZones: PullZoneStore };
type Fields = Record<string, unknown>;
type LeftOut = SettingsReport['leftOut'];
type Wanted = SourceSettings & { mode: 'plan' | 'if-empty' | 'always' };

/** Maximum number of settings that are left out because this service refuses them. */
const MAX_REFUSALS = 50;
/** Maximum number of unknown settings that are listed, and of host names that are imported. */
const MAX_UNKNOWN = 100;
const MAX_HOSTNAMES = 100;
const MAX_NAME_CHARS = 200;
/** Fields of viewer access that a refusal can name. */
const VIEWER_FIELDS: readonly string[] = ['url', 'jwksUrl', 'issuer', 'audience'];
const UNKNOWN = 'This version has no such setting.';
const NAME = 'The library keeps its name.';
/** Time for which URLs that the library signed before stay valid, in s. */
const OVERLAP_SEC = 30 * 24 * 3600;
/** Shown instead of a key in the list of changes. */
const HIDDEN = '***';
const OF_SOURCE = 'that of the source';

/**
 * Gives a library the settings, token key and host names of the source of an import. Unlike `restoreSettings`, leaves
 * out values that this service refuses, and never renames the library.
 */
export async function importSettings(
  libraryId: number,
  { mode, securityKey, hostnames, ...found }: Wanted,
  deps: Deps,
  signal: AbortSignal,
): Promise<ImportedSettings> {
  const { fields, leftOut } = readKnown(found);
  const plan = await restoreAccepted(libraryId, { fields, leftOut, isDryRun: true }, deps, signal);
  const isRestored = mode === 'always' || (mode === 'if-empty' && plan.isEmpty);
  const restored = isRestored
    ? await restoreAccepted(libraryId, { fields, leftOut, isDryRun: false }, deps, signal)
    : plan;
  const zone = await importZone(libraryId, { securityKey, hostnames, isRestored, isEmpty: plan.isEmpty }, deps);
  return {
    isRestored,
    changes: [...restored.changes, ...zone.changes],
    leftOut: [...leftOut, ...zone.leftOut],
    isPostponed: restored.postponed.length > 0,
  };
}

/** Keeps the settings that this version knows, with values of the right type. */
function readKnown({ settings: sent, listsUnknown }: Pick<Wanted, 'settings' | 'listsUnknown'>): {
  fields: Fields;
  leftOut: LeftOut;
} {
  const schema: TSchema = PortableSettingsModel;
  const fields: Fields = { ...Object(shaped(schema, { ...sent, version: 1 })) };
  const leftOut: LeftOut = [];
  delete fields.notCarried;
  if (listsUnknown) leftOut.push(...unknownFields(sent, fields));
  for (let errors = 0; ; errors += 1) {
    const [error] = Value.Errors(PortableSettingsModel, fields);
    if (error === undefined) break;
    if (errors === MAX_REFUSALS) {
      throw new Refused(
        'invalid',
        `Expected at most ${MAX_REFUSALS} wrong settings, got more. Correct them at the source.`,
      );
    }
    const [, section = '', name = ''] = error.instancePath.split('/');
    if (!removeField(fields, section, name)) throw new Refused('invalid', `The settings ${error.message}.`);
    leftOut.push({ field: name === '' ? section : `${section}.${name}`, reason: `The value ${error.message}.` });
  }
  if (Array.isArray(fields.webhooks)) fields.webhooks = fields.webhooks.filter((one) => isAccepted(one, leftOut));
  if (removeField(fields, 'library', 'Name')) leftOut.push({ field: 'library.Name', reason: NAME });
  return { fields, leftOut };
}

/** Lists fields of sections that this version does not have. */
function unknownFields(sent: Fields, fields: Fields): LeftOut {
  const found: LeftOut = [];
  for (const [section, values] of Object.entries(sent)) {
    if (typeof values !== 'object' || values === null || Array.isArray(values) || section === 'notCarried') continue;
    const known = Object(fields[section]);
    for (const [name, value] of Object.entries(values)) {
      if (Object.hasOwn(known, name) || value === null) continue;
      if (found.length === MAX_UNKNOWN) return [...found, { field: '…', reason: 'More settings are unknown.' }];
      found.push({ field: `${section}.${name}`.slice(0, MAX_NAME_CHARS), reason: UNKNOWN });
    }
  }
  return found;
}

/** Returns whether an update would accept a webhook endpoint. */
function isAccepted(webhook: unknown, leftOut: LeftOut): boolean {
  try {
    readEndpointFields(Value.Parse(CreateWebhookEndpointModel, webhook));
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    leftOut.push({ field: 'webhooks', reason: error.message });
    return false;
  }
}

/** Removes a field of a section, an entry of a list, or a whole section. Returns false if there is none. */
function removeField(fields: Fields, section: string, name: string): boolean {
  const values = fields[section];
  if (values === undefined) return false;
  if (name === '' || typeof values !== 'object' || values === null) delete fields[section];
  else if (Array.isArray(values)) fields[section] = values.filter((_, index) => index !== Number(name));
  else {
    const { [name]: removed, ...kept } = Object(values);
    if (removed === undefined) return false;
    fields[section] = kept;
  }
  return true;
}

type Accepting = { fields: Fields; leftOut: LeftOut; isDryRun: boolean };

/** Restores settings without those that a change of the library would refuse. */
async function restoreAccepted(
  libraryId: number,
  { fields, leftOut, isDryRun }: Accepting,
  deps: Deps,
  signal: AbortSignal,
) {
  for (let refusals = 0; ; refusals += 1) {
    try {
      const wanted = Value.Parse(PortableSettingsModel, fields);
      return await restoreSettings(libraryId, { wanted, isDryRun }, deps, signal);
    } catch (error) {
      if (!(error instanceof Refused) || error.kind !== 'invalid' || refusals === MAX_REFUSALS) throw error;
      const field = removeRefused(fields, error.field ?? '');
      if (field === null) throw error;
      leftOut.push({ field, reason: error.message });
    }
  }
}

/** Removes the field that a refusal names, with or without its section. Returns its full name, or null. */
function removeRefused(fields: Fields, refused: string): string | null {
  const [section = '', name = ''] = refused.split('.');
  // A list is refused for its length, and viewer access if a value is wrong or missing.
  const whole = VIEWER_FIELDS.includes(refused) ? 'viewers' : section;
  if (['feeds', 'webhooks', 'viewers'].includes(whole)) return removeField(fields, whole, '') ? whole : null;
  if (name !== '') return removeField(fields, section, name) ? refused : null;
  const found = Object.keys(fields).find((each) => removeField(fields, each, refused));
  return found === undefined ? null : `${found}.${refused}`;
}

type Zone = { securityKey: string | null; hostnames: readonly string[]; isRestored: boolean; isEmpty: boolean };

async function importZone(
  libraryId: number,
  { securityKey: key, hostnames, isRestored, isEmpty }: Zone,
  { pullZones }: Deps,
): Promise<Pick<SettingsReport, 'changes' | 'leftOut'>> {
  const zone = await pullZones.findByLibrary(libraryId);
  const changes: SettingsReport['changes'] = [];
  const leftOut: LeftOut = [];
  if (zone === null) return { changes, leftOut };
  if (key !== null && key !== zone.securityKey) {
    const field = 'pullZone.ZoneSecurityKey';
    const { min, max } = SECURITY_KEY_LENGTH;
    if (key.length < min || key.length > max) {
      leftOut.push({ field, reason: `Expected ${min} to ${max} characters, got ${key.length}.` });
    } else {
      if (isRestored) await pullZones.resetSecurityKey(zone.id, key, isEmpty ? 0 : OVERLAP_SEC);
      changes.push({ field, from: HIDDEN, to: OF_SOURCE });
    }
  }
  const field = 'pullZone.Hostnames';
  if (hostnames.length > MAX_HOSTNAMES) {
    leftOut.push({
      field,
      reason: `Expected at most ${MAX_HOSTNAMES}, got ${hostnames.length}. The others are left out.`,
    });
  }
  for (const sent of hostnames.slice(0, MAX_HOSTNAMES)) {
    try {
      const hostname = readHostname(sent);
      if (zone.hostnames.some((known) => known.hostname === hostname)) continue;
      if (isRestored) await pullZones.addHostname(zone.id, hostname);
      changes.push({ field, from: null, to: hostname });
    } catch (error) {
      if (!(error instanceof Refused) || error.kind !== 'invalid') throw error;
      leftOut.push({ field, reason: error.message });
    }
  }
  return { changes, leftOut };
}
