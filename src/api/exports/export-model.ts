import type { ExportReport } from '../../catalog/exports/library-export.ts';
import { wireTime } from '../models/answers.ts';
import type { ExportModel } from '../models/export.ts';

/** Converts the report of an export to its model. */
export function toExportModel(report: ExportReport): ExportModel {
  const { bytes, ...counts } = report.counts;
  return {
    guid: report.id,
    videoLibraryId: report.libraryId,
    target: report.target,
    address: report.address,
    state: report.state,
    concurrency: report.concurrency,
    bandwidth: report.maxBytesPerSec,
    currentTitle: report.current,
    reason: report.reason,
    dateCreated: wireTime(report.createdAt),
    dateEnded: report.endedAt && wireTime(report.endedAt),
    counts: { ...counts, sizeBytes: bytes },
    problems: report.problems,
  };
}
