import { checkItem, type ImportReport, type ItemReport } from '../../catalog/imports/library-import.ts';
import type { SettingsReport } from '../../catalog/imports/settings-report.ts';
import { SOURCE_FIELDS } from '../../catalog/imports/source-fields.ts';
import { wireTime } from '../models/answers.ts';
import type { ImportItemModel, ImportModel, ImportSettingsModel } from '../models/import.ts';

/** Converts the report of an import to its model. */
export function toImportModel(report: ImportReport): ImportModel {
  const { durationSec, openBytes: _open, importedBytes: _imported, ...counts } = report.counts;
  return {
    guid: report.id,
    videoLibraryId: report.libraryId,
    source: report.source,
    address: report.address,
    state: report.state,
    dryRun: report.isDryRun,
    concurrency: report.concurrency,
    bandwidth: report.maxBytesPerSec,
    skipDuplicates: report.skipsDuplicates,
    newGuids: report.makesNewGuids,
    settings: report.settings && toSettingsModel(report.settings),
    remainingSeconds: report.remainingSec,
    notImported: report.source === 'upload' ? [] : [...SOURCE_FIELDS[report.source].losses],
    reason: report.reason,
    dateCreated: wireTime(report.createdAt),
    dateEnded: report.endedAt && wireTime(report.endedAt),
    counts: { ...counts, durationSeconds: durationSec },
  };
}

function toSettingsModel({ state, changes, leftOut, reason }: SettingsReport): ImportSettingsModel {
  return { state, changes, leftOut, reason };
}

/** Converts the report of an item to its model. */
export function toImportItemModel(item: ItemReport): ImportItemModel {
  const { kind, sourceId, title, sizeBytes, durationSec, stored, state, reason, notes } = item;
  return {
    kind,
    sourceId,
    guid: item.targetId,
    title,
    sizeBytes,
    durationSeconds: durationSec,
    storedSizeBytes: stored?.sizeBytes ?? null,
    storedDurationSeconds: stored === null ? null : Math.round(stored.durationMs / 1000),
    check: checkItem(item),
    state,
    reason,
    retryable: item.isRetryable,
    notes,
  };
}
