import { Type } from 'typebox';
import { defineOperation } from '../define-operation.ts';
import { PortableSettingsModel, RestoredSettingsModel } from '../models/portable-settings.ts';
import { LibraryParams } from '../read-params.ts';
import { exportSettings, type PortableDeps } from '../read-portable-settings.ts';
import { queryFlag } from '../read-query.ts';
import { type RestoreDeps, restoreSettings } from '../restore-settings.ts';

const PATH = '/library/{libraryId}/settings';
/** Four images of 5 MiB in base64, and the other fields. */
const BODY_LIMIT_BYTES = 32 * 2 ** 20;

/** Not part of the hosted API. */
export const getLibrarySettings = defineOperation({
  name: 'getLibrarySettings',
  summary: 'Get the settings of a library for another service',
  method: 'GET',
  path: PATH,
  description:
    'Returns all settings of a library that another service can use: `library.json` of an export. Keys, host names ' +
    'and URLs with a user name or password are left out.',
  auth: 'account-key',
  permission: 'library.manage',
  params: LibraryParams,
  answer: PortableSettingsModel,
  refusals: { 'not-found': 404 },
  run: ({ params: { libraryId }, signal }, deps: PortableDeps) => exportSettings(libraryId, deps, signal),
});

/** Not part of the hosted API. Needs the account key, because it changes quotas. */
export const restoreLibrarySettings = defineOperation({
  name: 'restoreLibrarySettings',
  summary: 'Restore the settings of a library',
  method: 'POST',
  path: PATH,
  description:
    'Gives a library the settings of an export, and lists the changes. Absent sections are left unchanged. Webhook ' +
    'endpoints and feeds are never removed. All values are checked first, and a failed restore can be repeated. With ' +
    '`dryRun`, it only lists the changes.',
  auth: 'account-key',
  permission: 'account.manage',
  params: LibraryParams,
  query: Type.Object({ dryRun: queryFlag(false) }),
  body: PortableSettingsModel,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  answer: RestoredSettingsModel,
  refusals: { invalid: 400, 'not-found': 404, busy: 503 },
  run: ({ params: { libraryId }, query, body, signal }, deps: RestoreDeps) =>
    restoreSettings(libraryId, { wanted: body, isDryRun: query.dryRun }, deps, signal),
});
