import type { SettingsReport } from '../../catalog/imports/settings-report.ts';
import type { Guid } from '../../lib/guid.ts';

/** Settings of a library at its source. `settings` has the form of `library.json` and is not checked yet. */
export type SourceSettings = {
  settings: Readonly<Record<string, unknown>>;
  /** Whether fields that this version does not know are reported. */
  listsUnknown: boolean;
  /** Key that signs URLs, or null. */
  securityKey: string | null;
  /** Host names of the owner, without those of the service. */
  hostnames: readonly string[];
};

export type ImportedSettings = Pick<SettingsReport, 'changes' | 'leftOut' | 'isPostponed'> & { isRestored: boolean };

/**
 * Gives a library the settings of its source, and lists the changes. `plan` changes nothing, `if-empty` changes a
 * library without videos and collections. The audit log gets an entry with the changes, which names the import.
 * `compose.ts` provides it, because the rules of settings belong to the API.
 */
export type SettingsImporter = (
  libraryId: number,
  wanted: SourceSettings & { mode: 'plan' | 'if-empty' | 'always'; importId: Guid },
  signal: AbortSignal,
) => Promise<ImportedSettings>;
