import type { Migration } from 'kysely/migration';
import { up as baseline } from './001-baseline.ts';
import { up as loudness } from './002-loudness.ts';
import { up as nodes } from './003-nodes.ts';
import { up as logIds } from './004-log-ids.ts';
import { up as waveform } from './005-waveform.ts';
import { up as compatibility } from './006-compatibility.ts';
import { up as queueDepth } from './007-queue-depth.ts';
import { up as imports } from './009-imports.ts';
import { up as people } from './010-people.ts';
import { up as signInProviders } from './011-sign-in-providers.ts';
import { up as shares } from './012-shares.ts';
import { up as formerSigningKeys } from './013-former-signing-keys.ts';
import { up as passkeys } from './014-passkeys.ts';
import { up as webhookEndpoints } from './015-webhook-endpoints.ts';
import { up as importLimits } from './016-import-limits.ts';
import { up as auditChanges } from './017-audit-changes.ts';
import { up as providerSessions } from './018-provider-sessions.ts';
import { up as collectionShares } from './020-collection-shares.ts';
import { up as shareEmails } from './021-share-emails.ts';
import { up as quotas } from './022-quotas.ts';
import { up as secretRotation } from './024-secret-rotation.ts';
import { up as viewerAccess } from './025-viewer-access.ts';
import { up as feedAccess } from './026-feed-access.ts';
import { up as comments } from './027-comments.ts';
import { up as notifications } from './028-notifications.ts';
import { up as libraryExports } from './029-exports.ts';
import { up as storageMonth } from './030-storage-month.ts';
import { up as storageTotals } from './031-storage-totals.ts';
import { up as importArrangements } from './032-import-arrangements.ts';
import { up as joinedRecordings } from './034-joined-recordings.ts';
import { up as importSettings } from './039-import-settings.ts';
import { up as visibility } from './040-visibility.ts';
import { up as newGuids } from './045-new-guids.ts';
import { up as importIndexes } from './046-import-indexes.ts';

/**
 * A change of the schema. `oldestVersion`: the oldest version of the code that still works after it. An expand step
 * leaves it at the version of the step before. A contract step sets it to the first version that does not use what the
 * step removes.
 */
export type SchemaStep = Pick<Migration, 'up'> & { oldestVersion: string };

/** All migrations, by name. They run in the order of their names, and are never changed or removed. */
export const migrations = {
  '001-baseline': { oldestVersion: '0.1.0', up: baseline },
  '002-loudness': { oldestVersion: '0.1.0', up: loudness },
  '003-nodes': { oldestVersion: '0.1.0', up: nodes },
  '004-log-ids': { oldestVersion: '0.1.0', up: logIds },
  '005-waveform': { oldestVersion: '0.1.0', up: waveform },
  '006-compatibility': { oldestVersion: '0.1.0', up: compatibility },
  '007-queue-depth': { oldestVersion: '0.1.0', up: queueDepth },
  '009-imports': { oldestVersion: '0.1.0', up: imports },
  '010-people': { oldestVersion: '0.1.0', up: people },
  '011-sign-in-providers': { oldestVersion: '0.1.0', up: signInProviders },
  '012-shares': { oldestVersion: '0.1.0', up: shares },
  '013-former-signing-keys': { oldestVersion: '0.1.0', up: formerSigningKeys },
  '014-passkeys': { oldestVersion: '0.1.0', up: passkeys },
  '015-webhook-endpoints': { oldestVersion: '0.1.0', up: webhookEndpoints },
  '016-import-limits': { oldestVersion: '0.1.0', up: importLimits },
  '017-audit-changes': { oldestVersion: '0.1.0', up: auditChanges },
  '018-provider-sessions': { oldestVersion: '0.1.0', up: providerSessions },
  '020-collection-shares': { oldestVersion: '0.1.0', up: collectionShares },
  '021-share-emails': { oldestVersion: '0.1.0', up: shareEmails },
  '022-quotas': { oldestVersion: '0.1.0', up: quotas },
  '024-secret-rotation': { oldestVersion: '0.1.0', up: secretRotation },
  '025-viewer-access': { oldestVersion: '0.1.0', up: viewerAccess },
  '026-feed-access': { oldestVersion: '0.1.0', up: feedAccess },
  '027-comments': { oldestVersion: '0.1.0', up: comments },
  '028-notifications': { oldestVersion: '0.1.0', up: notifications },
  '029-exports': { oldestVersion: '0.1.0', up: libraryExports },
  '030-storage-month': { oldestVersion: '0.1.0', up: storageMonth },
  '031-storage-totals': { oldestVersion: '0.1.0', up: storageTotals },
  '032-import-arrangements': { oldestVersion: '0.1.0', up: importArrangements },
  '034-joined-recordings': { oldestVersion: '0.1.0', up: joinedRecordings },
  '039-import-settings': { oldestVersion: '0.1.0', up: importSettings },
  '040-visibility': { oldestVersion: '0.1.0', up: visibility },
  '045-new-guids': { oldestVersion: '0.1.0', up: newGuids },
  '046-import-indexes': { oldestVersion: '0.1.0', up: importIndexes },
} satisfies Record<string, SchemaStep>;
