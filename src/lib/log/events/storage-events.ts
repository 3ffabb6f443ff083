import { eventsOf } from '../define-event.ts';

const storage = eventsOf('storage');
const housekeeping = eventsOf('housekeeping');
const backup = eventsOf('backup');

/** Events of the object store. */
export const storageEvents = {
  'storage.unreachable': storage.error('The object store cannot be reached.', ['reason']),
  'storage.reachable': storage.info('The object store can be reached again.', ['durationSec']),
  'storage.bound': storage.info('Database and store are bound to each other.'),
  'storage.unbound': storage.warn(
    'The store could not be confirmed as the store of this database. Nothing is deleted from it.',
    ['reason'],
  ),
  'storage.move-failed': storage.error('Objects could not be moved.', ['err']),
  'storage.moving': storage.info('Objects are being moved from the old store.', ['waiting', 'bytes']),
  'export.unswept': storage.warn('Parts of interrupted exports could not be removed from a bucket.', ['err']),
  'export.ended': storage.info('An export of a library ended.', ['libraryId', 'exportId', 'state', 'reason?']),
  'storage.moved': storage.info('All objects have been moved. Remove MILLRACE_STORAGE_FROM.'),
};

/** Summaries of work in the background. */
export const housekeepingEvents = {
  'sweep.found': housekeeping.info('A sweep found unfinished work.', ['kind', 'count']),
  'scrub.finished': housekeeping.info('The scrub has read some stored objects.', ['count', 'damaged', 'bytes']),
  'merge.finished': housekeeping.info('Small chunks were merged.', ['bytes', 'durationMs']),
  'quota.reached': housekeeping.warn(
    'A library has reached 80 or 100 percent of a quota.',
    ['libraryId', 'resource', 'percent', 'used', 'limit', 'mode'],
    { perKey: ['libraryId', 'resource'] },
  ),
  'quota.encodes-held': housekeeping.info(
    'The encodes of a library wait for its quota.',
    ['libraryId', 'resource', 'reason'],
    { perKey: ['libraryId'] },
  ),
  'quota.refused': housekeeping.info('A quota of a library refused a request.', ['libraryId', 'resource', 'reason'], {
    perKey: ['libraryId', 'resource'],
  }),
  'quarantine.emptied': housekeeping.info('Objects without a row were removed.', ['removed']),
};

/** Events of backups. */
export const backupEvents = {
  'backup.begun': backup.info('A backup started.', ['path']),
  'backup.finished': backup.info('A backup is complete.', ['count', 'bytes', 'durationSec']),
  'backup.failed': backup.error('A backup failed.', ['err']),
  'restore.begun': backup.info('A restore started.', ['path']),
  'restore.finished': backup.info('A restore is complete.', ['count', 'durationSec']),
};
