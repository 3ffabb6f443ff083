import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PortableSettingsModel, RestoredSettingsModel } from '../../../sdk/src/millrace.ts';
import { parseFields } from '../../catalog/imports/sidecars.ts';
import { EXPORT_FILES } from '../../jobs/exports/export-target.ts';
import { hasCode } from '../../lib/has-code.ts';
import { Refused } from '../../lib/refused.ts';
import type { Context } from './context.ts';
import { printLine } from './output.ts';
import { copyOf } from './with-new-guids.ts';

const VERSION = 1;

/**
 * Restores the settings of an exported library, into an empty library or with `--settings`, and prints each change.
 * Returns a function that restores, after the import, the feeds whose collections it creates. A dry run only prints.
 * The library keeps its name.
 */
export async function restoreSettings(context: Context, root: string): Promise<() => Promise<void>> {
  const { millrace, library: libraryId, values, pairs } = context;
  const nothing = async () => undefined;
  if (values['no-settings'] === true) return nothing;
  const found = await readSettings(root, values.settings === true);
  if (found === null) return nothing;
  const { Name, ...library } = { ...found.library };
  const feeds = pairs.newGuids === true ? copiedFeeds(context, found.feeds) : found.feeds;
  const body = { ...found, ...(found.library !== undefined && { library }), ...(feeds !== undefined && { feeds }) };
  const restore = (dryRun: boolean, part: PortableSettingsModel = body) =>
    millrace.call('restoreLibrarySettings', { libraryId, dryRun, body: part });
  const plan = await restore(true);
  const count = plan.changes.length + plan.postponed.length;
  if (count === 0) return nothing;
  if (!plan.isEmpty && values.settings !== true) {
    printLine(
      `The export has ${count} other settings. Restore them with --settings, or see them with dryRun=true too.`,
    );
    return nothing;
  }
  const isDry = String(pairs.dryRun) === 'true';
  if (Name !== undefined) printLine(['skipped', 'library.Name', 'The library keeps its name.'].join('\t'));
  const { changes } = isDry ? plan : await restore(false);
  printChanges(context, changes);
  printLine(`${changes.length} settings ${isDry ? 'would be ' : ''}restored`);
  if (isDry || plan.postponed.length === 0) return nothing;
  // Other settings may be changed during the import.
  const rest = { version: found.version, ...(feeds !== undefined && { feeds }) };
  return async () => {
    const { changes: later, postponed } = await restore(false, rest);
    printChanges(context, later);
    for (const { field, reason } of postponed) printLine(['skipped', field, reason].join('\t'));
  };
}

/** The collections of the import have other GUIDs than in the export. */
function copiedFeeds(context: Context, feeds: PortableSettingsModel['feeds']): PortableSettingsModel['feeds'] {
  return feeds?.map((feed) => ({ ...feed, collectionId: copyOf(context, feed.collectionId) }));
}

function printChanges({ values }: Context, changes: RestoredSettingsModel['changes']): void {
  for (const change of changes) {
    const { field, from, to } = change;
    printLine(values.json ? JSON.stringify(change) : ['setting', field, from ?? 'none', to ?? 'none'].join('\t'));
  }
}

/** Reads the settings of an export. Returns null if there are none, unless they `isRequired`. */
async function readSettings(root: string, isRequired: boolean): Promise<PortableSettingsModel | null> {
  const path = join(root, EXPORT_FILES.settings);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (text === null && isRequired) {
    throw new Refused('invalid', `expected ${path} with --settings, but it does not exist. Export the library again.`);
  }
  const fields = text === null ? null : parseFields(text, path);
  // The file may also describe a medium library.mp4.
  if (fields === null || (typeof fields.version !== 'number' && !isRequired)) return null;
  if (fields.version !== VERSION) {
    throw new Refused('invalid', `expected version ${VERSION} of ${path}, got ${fields.version}. Update this command.`);
  }
  // The service checks the fields.
  return fields as PortableSettingsModel;
}
