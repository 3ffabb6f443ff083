import type { BulkReport } from '../../catalog/bulk/bulk-operation.ts';
import { wireTime } from '../models/answers.ts';
import type { BulkModel } from '../models/bulk.ts';

/** Converts the report of an operation to its model. */
export function toBulkModel(report: BulkReport): BulkModel {
  return {
    guid: report.id,
    videoLibraryId: report.libraryId,
    action: report.kind,
    collectionId: report.collectionId ?? '',
    visibility: report.visibility,
    total: report.total,
    done: report.done,
    failed: report.failed,
    dateCreated: wireTime(report.createdAt),
    dateEnded: report.endedAt && wireTime(report.endedAt),
    failures: report.failures.map((failure) => ({ ...failure })),
  };
}
