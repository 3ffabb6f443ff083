/**
 * `planned`: read, and restored when the transfers begin. `kept`: not restored, because the library has videos or
 * collections.
 * `failed`: they could not be read or restored.
 */
export const SETTINGS_STATES = ['planned', 'restored', 'kept', 'failed'] as const;

/** Result of importing the settings of a library. */
export type SettingsReport = {
  state: (typeof SETTINGS_STATES)[number];
  changes: { field: string; from: string | null; to: string | null }[];
  /** Settings of the source that are not restored. */
  leftOut: { field: string; reason: string }[];
  /** Whether some settings wait for collections of the import. */
  isPostponed: boolean;
  reason: string | null;
};
