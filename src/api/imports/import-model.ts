import type { ImportReport, ItemReport } from '../../catalog/imports/library-import.ts';
import { wireTime } from '../models/answers.ts';
import type { ImportItemModel, ImportModel } from '../models/import.ts';

/** Converts the report of an import to its model. */
export function toImportModel(report: ImportReport): ImportModel {
  const { durationSec, ...counts } = report.counts;
  return {
    guid: report.id,
    videoLibraryId: report.libraryId,
    source: report.source,
    address: report.address,
    state: report.state,
    dryRun: report.isDryRun,
    concurrency: report.concurrency,
    reason: report.reason,
    dateCreated: wireTime(report.createdAt),
    dateEnded: report.endedAt && wireTime(report.endedAt),
    counts: { ...counts, durationSeconds: durationSec },
  };
}

/** Converts the report of an item to its model. */
export function toImportItemModel({ kind, sourceId, targetId, title, ...item }: ItemReport): ImportItemModel {
  const { sizeBytes, state, reason, isRetryable: retryable, notes } = item;
  return { kind, sourceId, guid: targetId, title, sizeBytes, state, reason, retryable, notes };
}
