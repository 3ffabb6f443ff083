import type { FieldTexts } from './field-texts.ts';

const ITEM = {
  kind: '`collection` or `video`.',
  sourceId: 'Id of the item at its source. Each id occurs once in an import.',
  guid: 'GUID of the video or collection in the library.',
  title: 'Title of the video, or name of the collection.',
  sizeBytes: 'Size of the file in bytes; the storage used at the source if the file itself is unknown.',
};

const COMMENT = {
  guid: 'Id of the comment, which the import keeps.',
  text: 'Text of the comment.',
  authorName: 'Name of its author.',
  authorKind: '`person`, `key`, `email` or `guest`. An imported comment belongs to no account.',
  dateCreated: 'Time at which it was written.',
  dateEdited: 'Time of the last change of its text; null for none.',
};

const IMPORT = {
  guid: 'GUID of the import.',
  source: 'Service that the videos come from, or `upload`.',
  address: 'Library at the source.',
  state:
    'State of the import: `listing`, `running`, `cancelling`, `planned` (a dry run that has ended), `finished`, ' +
    '`cancelled` or `failed`.',
  bandwidth: 'Maximum bytes per second of all transfers together; null for no limit.',
  skipDuplicates: 'Whether videos whose file the library has already are moved to the trash.',
  newGuids: 'Whether videos and collections have other GUIDs than at the source.',
  settings: 'Settings of the library at the source; null before they were read, and if the source has none.',
  remainingSeconds:
    'Estimated time of the remaining transfers in seconds, from the speed so far or, in a plan, of a sample; null if ' +
    'sizes or speed are unknown.',
  notImported: 'Properties of the source that are not imported, as sentences.',
  dryRun: 'True if the import only lists what it would import.',
  concurrency: 'Maximum number of files in transfer at once.',
  reason: 'Reason why the import waits or failed; null for none.',
  dateCreated: 'Time of the request.',
  dateEnded: 'Time at which the import ended; null while it runs.',
  counts: 'Number of items by state, and the totals.',
};

/** Descriptions of the fields of imports. */
export const IMPORT_FIELD_TEXTS: FieldTexts = {
  ImportReplyModel: COMMENT,
  ImportCommentModel: {
    ...COMMENT,
    time: 'Position in the video in seconds.',
    isResolved: 'Whether the comment is resolved.',
    resolvedBy: 'Name of the person who resolved it.',
    dateResolved: 'Time at which it was resolved.',
    replies: 'Replies, oldest first.',
  },
  ImportUploadModel: {
    ...ITEM,
    description: 'Description of the video.',
    category: 'Category of the video.',
    collectionId: 'GUID of the collection of the video.',
    isPublic: 'Whether the video was public at the source. It does not decide who can play it.',
    visibility: 'Who can play and find the video, as in `VideoModel`. Default: public.',
    dateUploaded: 'Time of the upload at the source.',
    views: 'Number of views.',
    totalWatchTime: 'Watch time in seconds.',
    thumbnailTime: 'Chosen time of the thumbnail in milliseconds. Ignored if the video has a thumbnail of its own.',
    chapters: 'Chapters of the video.',
    moments: 'Moments of the video.',
    metaTags: 'Meta tags of the video.',
    statistics: 'Views and watch time by day, in addition to the totals.',
    comments: 'Review comments of the video, at most 1000 with their replies.',
    status: 'Status at the source. If it is 5 (failed), a file that cannot be processed is skipped instead of failed.',
    noMediaReason: 'Reason why no file follows. The item is then skipped.',
    videoOrder: 'Order of the videos in the collection.',
    videoIds: 'GUIDs of the first videos of a manual order. Videos that are not imported are left out.',
  },
  CreateImportModel: {
    source:
      '`bunny`, `millrace` (another installation), `s3`, `peertube`, `mux`, `cloudflare`, `vimeo`, `mediacms`, or ' +
      '`upload` (you upload the files of `items`).',
    apiUrl: 'API URL of the source. Required for `millrace`, `peertube` and `mediacms`. For `s3`, the endpoint.',
    coreUrl: 'URL of the account API of the source, if it differs.',
    accessKey:
      'Key or token of the source. For `bunny` and `millrace`, the key of the library; a read-only key suffices. ' +
      'For `s3`, the access key id. For `mux`, the token id.',
    accountKey: 'Key of the account at the source. With it, the URL and keys of the pull zone are looked up.',
    sourceLibraryId: 'Id of the library at the source.',
    cdnUrl: 'Base URL of the files at the source, such as `https://vz-1234.b-cdn.net`. Looked up by default.',
    securityKey: 'Token key of the pull zone, if it requires signed URLs.',
    referrer: 'Page that the pull zone of the source accepts as referrer.',
    account: 'Account id of `cloudflare`, user name of `peertube`, or the only author of `mediacms` to import.',
    secretKey: 'Secret access key of `s3`, token secret of `mux`, or password of `peertube`.',
    bucket: 'Bucket of `s3`.',
    prefix: 'Folder in the bucket. The default is the whole bucket.',
    region: 'Region of the bucket. The default is `us-east-1`.',
    bandwidth: 'Maximum bytes per second of all transfers together, at least 10000. The default is no limit.',
    newGuids:
      'If true, videos and collections get new GUIDs, which a second import derives again. Not with `upload`. The ' +
      'default is false: they keep those of the source.',
    skipDuplicates:
      'If true, a video whose file the library has already is moved to the trash after the transfer and skipped. ' +
      'The default is false: it is kept and noted.',
    dryRun: 'If true, only lists what would be imported. Resume the import to start it.',
    concurrency: 'Maximum number of files in transfer at once, 1 to 20. The default is 3.',
    settings:
      'Whether the settings, the token key and the host names of the source are restored. By default, only if the ' +
      'library has no videos and no collections. Its name is kept.',
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
    unknownSizes: 'Number of videos to transfer whose size the source does not state.',
  },
  ImportSettingsModel: {
    state:
      '`planned` (read, restored when the transfers begin), `restored`, `kept` (the library has videos or ' +
      'collections) or `failed`.',
    changes: 'Settings that differ.',
    leftOut: 'Settings of the source that are not restored, each with the reason.',
    reason: 'Reason why they could not be read or restored; null for none.',
  },
  ImportModel: IMPORT,
  ImportDetailsModel: { ...IMPORT, items: 'The items of this page, in the order of the source.' },
  ImportItemModel: {
    ...ITEM,
    durationSeconds: 'Length at the source in seconds; null if it states none.',
    storedSizeBytes: 'Size of the stored original in bytes; null if there is none.',
    storedDurationSeconds: 'Length of the imported video in seconds; null if it is not imported.',
    check:
      'Comparison of the imported video with the source: `same`, `different` (size or length), `unplayable`, ' +
      '`pending` (still encoded) or `deleted`; null if it is not imported.',
    state: '`waiting`, `fetching`, or the outcome: `imported`, `skipped` or `failed`.',
    reason: 'Reason of the outcome as a sentence; null for none.',
    retryable: 'Whether a failed item may succeed later. Resuming the import tries it again.',
    notes: 'Properties that the import could not transfer, as sentences.',
  },
};
