import { eventsOf } from '../define-event.ts';

const upload = eventsOf('upload');
const tasks = eventsOf('tasks');
const video = eventsOf('video');
const webhook = eventsOf('webhook');
const TO = ['channel', 'libraryId?', 'personId?', 'attempt'] as const;

const TASK = ['taskId', 'kind', 'videoGuid', 'libraryId', 'attempt'] as const;

/** Events of uploads by PUT, tus and fetch. */
export const uploadEvents = {
  'upload.begun': upload.info('An upload started.', ['kind', 'videoGuid', 'libraryId', 'uploadId?', 'bytes?', 'host?']),
  'upload.finished': upload.info('The file of an upload is stored.', [
    'kind',
    'videoGuid',
    'libraryId',
    'uploadId?',
    'bytes?',
    'durationMs?',
  ]),
  'upload.abandoned': upload.info('An upload ended without a file.', [
    'kind',
    'videoGuid',
    'libraryId',
    'uploadId?',
    'bytes?',
    'reason',
  ]),
  'upload.reason-unstored': upload.error('The reason why an upload was refused could not be stored.', [
    'videoGuid',
    'libraryId',
    'err',
  ]),
  'upload.failed': upload.error('A resumable upload failed.', ['err']),
};

/** Events of encode tasks and jobs. */
export const taskEvents = {
  'task.claimed': tasks.info('A worker claimed an encode task.', [
    ...TASK,
    'owner',
    'fromSegment',
    'toSegment',
    'deaths',
  ]),
  'task.finished': tasks.info('An encode task is done.', [...TASK, 'durationSec', 'mediaSec?', 'speed?']),
  'task.postponed': tasks.info('An encode task is postponed.', [...TASK, 'reason', 'until?']),
  'task.failed': tasks.warn('An attempt of an encode task failed.', [...TASK, 'reason', 'retries', 'err?'], {
    perKey: ['videoGuid'],
  }),
  'task.released': tasks.info('An encode task was returned because the worker stops.', TASK),
  'task.lease-lost': tasks.info('A worker lost the lease of an encode task.', [...TASK, 'reason?']),
  'task.lease-expired': tasks.warn(
    'The lease of an encode task expired because its worker is gone. Another worker may claim it.',
    [...TASK, 'owner'],
    { perKey: ['videoGuid'] },
  ),
  'task.canceled': tasks.info('An encode task ended because its video was deleted or changed.', TASK),
  'segments.claimed': tasks.debug('A worker claimed segments that a viewer waits for.', TASK),
  'segments.ended': tasks.debug('The encoder of requested segments ended.', [...TASK, 'durationSec', 'reason?']),
  'job.begun': tasks.debug('A job begins.', ['name', 'jobId', 'attempt']),
  'job.finished': tasks.debug('A job is done.', ['name', 'jobId', 'durationSec']),
  'job.postponed': tasks.info('A job is postponed.', ['name', 'jobId', 'reason'], { perKey: ['name', 'reason'] }),
  'job.failed': tasks.warn('An attempt of a job failed.', ['name', 'jobId', 'attempt', 'retries', 'err'], {
    perKey: ['name'],
  }),
  'job.returned': tasks.info('A job was returned because the worker stops.', ['name', 'jobId']),
  'job.canceled': tasks.info('A job ended because what it worked on was deleted.', ['name', 'jobId', 'reason?']),
  'job.given-up': tasks.warn('A job failed permanently.', ['name', 'reason'], { perKey: ['name', 'reason'] }),
  'queue.failed': tasks.error('The queue of jobs failed.', ['err']),
  'worker.failed': tasks.error('Work of this process failed.', ['err']),
};

/** Events of videos. */
export const videoEvents = {
  'video.planned': video.info('A video was planned.', ['videoGuid', 'libraryId', 'mediaSec']),
  'video.playable': video.info('A video can be played.', ['videoGuid', 'libraryId']),
  'video.finished': video.info('A video is finished.', ['videoGuid', 'libraryId', 'isIncomplete']),
  'video.failed': video.warn('A video failed.', ['videoGuid', 'libraryId', 'reason'], { perKey: ['videoGuid'] }),
  'video.deleted': video.info('The objects and rows of a deleted video were removed.', ['videoGuid', 'libraryId']),
};

/** Events of webhook deliveries. */
export const webhookEvents = {
  'webhook.delivered': webhook.info(
    'A webhook was delivered.',
    ['eventId', 'libraryId', 'videoGuid', 'videoStatus', 'host', 'attempt', 'durationMs'],
    { perKey: ['libraryId'] },
  ),
  'webhook.failed': webhook.warn(
    'A webhook could not be delivered. The delivery is retried.',
    ['eventId', 'libraryId', 'videoGuid', 'videoStatus', 'host?', 'attempt', 'reason', 'until?'],
    { perKey: ['libraryId'] },
  ),
  'webhook.given-up': webhook.warn(
    'A webhook failed permanently.',
    ['eventId', 'libraryId', 'videoGuid', 'videoStatus', 'host?', 'attempt', 'reason'],
    { perKey: ['libraryId'] },
  ),
  'webhook.error': webhook.error('A webhook could not be processed.', ['err']),
};

/** Events of notifications to chats and by e-mail. */
export const notificationEvents = {
  'notification.sent': webhook.info('A notification was sent.', TO, { perKey: ['libraryId', 'personId'] }),
  'notification.failed': webhook.warn('A notification could not be sent. It is retried.', [...TO, 'reason', 'until'], {
    perKey: ['libraryId', 'personId'],
  }),
  'notification.given-up': webhook.warn('A notification failed permanently.', [...TO, 'reason'], {
    perKey: ['libraryId', 'personId'],
  }),
  'notification.error': webhook.error('Notifications could not be processed.', ['err']),
};
