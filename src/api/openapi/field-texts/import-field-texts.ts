import type { FieldTexts } from './field-texts.ts';

const ITEM = {
  kind: '`collection` or `video`.',
  sourceId: 'Id of the item at its source. Each id occurs once in an import.',
  guid: 'GUID of the video or collection, which the import keeps.',
  title: 'Title of the video, or name of the collection.',
  sizeBytes: 'Size of the file in bytes; the storage used at the source if the file itself is unknown.',
};

const IMPORT = {
  guid: 'GUID of the import.',
  source: 'Service that the videos come from, or `upload`.',
  address: 'Library at the source.',
  state:
    'State of the import: `listing`, `running`, `cancelling`, `planned` (a dry run that has ended), `finished`, ' +
    '`cancelled` or `failed`.',
  dryRun: 'True if the import only lists what it would import.',
  concurrency: 'Maximum number of files in transfer at once.',
  reason: 'Reason why the import waits or failed; null for none.',
  dateCreated: 'Time of the request.',
  dateEnded: 'Time at which the import ended; null while it runs.',
  counts: 'Number of items by state, and the totals.',
};

/** Descriptions of the fields of imports. */
export const IMPORT_FIELD_TEXTS: FieldTexts = {
  ImportUploadModel: {
    ...ITEM,
    description: 'Description of the video.',
    category: 'Category of the video.',
    collectionId: 'GUID of the collection of the video.',
    isPublic: 'Whether the video is public.',
    dateUploaded: 'Time of the upload at the source.',
    views: 'Number of views.',
    totalWatchTime: 'Watch time in seconds.',
    chapters: 'Chapters of the video.',
    moments: 'Moments of the video.',
    metaTags: 'Meta tags of the video.',
  },
  CreateImportModel: {
    source: '`bunny`, `millrace` (another installation), or `upload` (you upload the files of `items`).',
    apiUrl: 'API URL of the source. Required for `millrace`.',
    coreUrl: 'URL of the account API of the source, if it differs.',
    accessKey: 'Key of the library at the source. A read-only key is sufficient.',
    accountKey: 'Key of the account at the source. With it, the URL and keys of the pull zone are looked up.',
    sourceLibraryId: 'Id of the library at the source.',
    cdnUrl: 'Base URL of the files at the source, such as `https://vz-1234.b-cdn.net`. Looked up by default.',
    securityKey: 'Token key of the pull zone, if it requires signed URLs.',
    referrer: 'Page that the pull zone of the source accepts as referrer.',
    dryRun: 'If true, only lists what would be imported. Resume the import to start it.',
    concurrency: 'Maximum number of files in transfer at once, 1 to 20. The default is 3.',
    items: 'Videos and collections of the source `upload`, at most 10000.',
  },
  ImportCountsModel: {
    total: 'Number of items.',
    waiting: 'Number of items that wait.',
    fetching: 'Number of items whose file is being fetched.',
    imported: 'Number of imported items.',
    skipped: 'Number of items that were not imported for the reason they state.',
    failed: 'Number of failed items.',
    sizeBytes: 'Bytes of all items that are not skipped.',
    durationSeconds: 'Length of all videos that are not skipped.',
  },
  ImportModel: IMPORT,
  ImportDetailsModel: { ...IMPORT, items: 'The items of this page, in the order of the source.' },
  ImportItemModel: {
    ...ITEM,
    state: '`waiting`, `fetching`, or the outcome: `imported`, `skipped` or `failed`.',
    reason: 'Reason of the outcome as a sentence; null for none.',
    retryable: 'Whether a failed item may succeed later. Resuming the import tries it again.',
    notes: 'Properties that the import could not transfer, as sentences.',
  },
};
