import type { FieldTexts } from './field-texts.ts';

/** Descriptions of the fields of exports. */
export const EXPORT_FIELD_TEXTS: FieldTexts = {
  CreateExportModel: {
    target: 'Destination: `s3`, or `folder` if the operator has set `MILLRACE_EXPORT_DIR`.',
    apiUrl: 'S3 endpoint. Amazon S3 by default.',
    region: 'Region of the bucket. Default: `us-east-1`.',
    bucket: 'Name of the bucket. Required for `s3`.',
    prefix: 'Folder in the bucket. Default: the whole bucket.',
    accessKey: 'Access key id of the bucket. Required for `s3`.',
    secretKey: 'Secret access key of the bucket. Required for `s3`. It is stored encrypted.',
    folder: 'Name of a folder below `MILLRACE_EXPORT_DIR/library-ID`. Required for `folder`.',
    concurrency: 'Maximum number of videos in transfer at once. Default: 2.',
    bandwidth: 'Maximum bytes per second of all transfers together; null for no limit.',
  },
  ExportCountsModel: {
    total: 'Number of videos in the library.',
    exported: 'Number of videos whose file was written.',
    unchanged: 'Number of videos whose file the destination had already.',
    empty: 'Number of videos without a file, of which only the metadata were written.',
    failed: 'Number of videos that could not be exported.',
    sizeBytes: 'Number of transferred bytes.',
  },
  ExportProblemModel: {
    guid: 'GUID of the video.',
    title: 'Title of the video.',
    reason: 'Reason why it could not be exported.',
  },
  ExportModel: {
    guid: 'GUID of the export.',
    target: 'Kind of the destination: `s3` or `folder`.',
    address: 'URL of the bucket, or name of the folder.',
    state: 'State of the export: `running`, `finished`, `cancelled` or `failed`.',
    concurrency: 'Maximum number of videos in transfer at once.',
    bandwidth: 'Maximum bytes per second of all transfers together; null for no limit.',
    currentTitle: 'Title of a video in transfer; null if there is none.',
    reason: 'Reason why the export waits or failed; null for none.',
    dateCreated: 'Time of the request.',
    dateEnded: 'Time at which the export ended; null while it runs.',
    counts: 'Number of videos by outcome, and the transferred bytes.',
    problems: 'The first 100 videos that could not be exported.',
  },
  PaginationListOfExportModel: {
    foldersAllowed: 'Whether exports to a folder are allowed.',
  },
};
