import { type OpenImport, saveSettingsReport } from '../../catalog/imports/import-work-store.ts';
import type { SettingsReport } from '../../catalog/imports/settings-report.ts';
import { isDatabaseAway } from '../../catalog/is-database-away.ts';
import { readGuid } from '../../lib/guid.ts';
import { deriveNewGuid } from './derive-new-guid.ts';
import type { ImportDeps, RunningImport } from './import-item.ts';
import type { SourceSettings } from './settings-importer.ts';
import { isTransient, SourceBusy } from './source-client.ts';

type Parts = { running: RunningImport; deps: ImportDeps };

const NO_CHANGES = { changes: [], leftOut: [], isPostponed: false };

/** Reads the settings of the source when it is listed, and reports the changes without making them. */
export async function planSettings(opened: OpenImport, parts: Parts, signal: AbortSignal): Promise<void> {
  if (opened.restoresSettings === false || opened.settingsReport !== null) return;
  await transferSettings(opened, { ...parts, isDryRun: true }, signal);
}

/**
 * Restores planned settings before the first video, because they decide how it is encoded. A library that has videos
 * or collections keeps its settings, unless the caller asked for them.
 */
export async function restorePlanned(opened: OpenImport, parts: Parts, signal: AbortSignal): Promise<void> {
  if (opened.settingsReport?.state !== 'planned') return;
  await transferSettings(opened, { ...parts, isDryRun: false }, signal);
}

/** Restores the feeds, which needed collections of the import. Other settings may have been changed since. */
export async function restorePostponed(opened: OpenImport, parts: Parts, signal: AbortSignal): Promise<void> {
  const { settingsReport: report } = opened;
  if (report?.state !== 'restored' || !report.isPostponed) return;
  await transferSettings(opened, { ...parts, isDryRun: false }, signal);
}

async function transferSettings(
  opened: OpenImport,
  { running, deps, isDryRun }: Parts & { isDryRun: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { source, request, client } = running;
  const { importSettings } = deps;
  if (source.readSettings === undefined || importSettings === undefined) return;
  const before = opened.settingsReport;
  try {
    const read = await source.readSettings(request, client, signal);
    if (read === null) return;
    const found = opened.makesNewGuids ? withNewFeeds(read, opened.libraryId) : read;
    const isLater = before?.state === 'restored';
    const isMeant = opened.restoresSettings === true || isLater;
    const mode = isDryRun ? 'plan' : isMeant ? 'always' : 'if-empty';
    const wanted = { ...(isLater ? feedsOf(found) : found), mode, importId: opened.importId } as const;
    const { isRestored, changes, leftOut, isPostponed } = await importSettings(opened.libraryId, wanted, signal);
    const state = isDryRun ? 'planned' : isRestored ? 'restored' : 'kept';
    // A run that was interrupted after its changes finds nothing left to change.
    const all = isDryRun || before === null ? changes : merged(before.changes, changes);
    const omitted = isLater ? [...before.leftOut, ...leftOut] : leftOut;
    await save(opened, { state, changes: all, leftOut: omitted, isPostponed: isPostponed && !isLater }, deps);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceBusy || isDatabaseAway(error) || isTransient(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    await save(opened, { ...NO_CHANGES, state: 'failed', reason }, deps);
  }
}

/** Feeds belong to collections, whose GUIDs are new. */
function withNewFeeds(found: SourceSettings, libraryId: number): SourceSettings {
  const { feeds } = found.settings;
  if (!Array.isArray(feeds)) return found;
  const moved = feeds.map((feed: unknown) => {
    const guid = readGuid(String(Object(feed).collectionId));
    return guid === null ? feed : { ...Object(feed), collectionId: deriveNewGuid(libraryId, guid) };
  });
  return { ...found, settings: { ...found.settings, feeds: moved } };
}

function feedsOf({ settings: { feeds } }: SourceSettings): SourceSettings {
  return { settings: feeds === undefined ? {} : { feeds }, listsUnknown: false, securityKey: null, hostnames: [] };
}

function merged(before: SettingsReport['changes'], later: SettingsReport['changes']): SettingsReport['changes'] {
  const known = new Set(before.map(({ field, to }) => `${field} ${to}`));
  return [...before, ...later.filter(({ field, to }) => !known.has(`${field} ${to}`))];
}

async function save(
  opened: OpenImport,
  report: Omit<SettingsReport, 'reason'> & { reason?: string },
  { db }: ImportDeps,
): Promise<void> {
  const whole = { reason: null, ...report };
  await saveSettingsReport(db, opened, whole);
  opened.settingsReport = whole;
}
