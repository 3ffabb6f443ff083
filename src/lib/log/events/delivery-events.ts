import { eventsOf } from '../define-event.ts';

const delivery = eventsOf('delivery');

/** Events of the edge. */
export const deliveryEvents = {
  'delivery.failed': delivery.error('A request could not be answered.', ['path', 'err']),
  'delivery.broken-off': delivery.error('A response could not be completed.', ['path', 'err']),
  'sendfile.missing': delivery.warn('sendfile is not available. Media is copied through memory.', ['err']),
  'store.unread': delivery.warn('The store could not be read.', ['objectKey', 'err']),
  'catalogue.unread': delivery.warn('The catalogue could not be read. The last known state is used.', ['name', 'err']),
  'notifications.lost': delivery.warn('Notifications are lost. The process connects again.', ['err']),
  'policy.unread': delivery.warn('The rules of a pull zone could not be read. The last known ones apply.', [
    'zone',
    'err',
  ]),
  'share.unread': delivery.warn('A share could not be read. The last known one applies.', ['err']),
  'share.code-unsent': delivery.warn('A code for a share page could not be sent by e-mail.', ['err']),
  'figures.unread': delivery.warn('Statistics of a video could not be read. The last known ones are shown.', [
    'name',
    'err',
  ]),
  'segment-requests.unwritten': delivery.warn('Requests for segments could not be written.', ['err']),
  'bytes.unwritten': delivery.warn('The number of sent bytes cannot be written yet.', ['err']),
  'sessions.delayed': delivery.warn('Viewing sessions could not be counted yet. They are counted later.', [
    'waiting',
    'dropped',
    'err',
  ]),
  'visits.dropped': delivery.warn('Reports of visits were dropped.', ['dropped']),
  'thread.undemoted': delivery.warn('The statistics thread runs at the priority of media.', ['err']),
  'salt.unread': delivery.warn('The salt of a day could not be read. Viewers are identified later.', ['err']),
  'live-feed.lost': delivery.warn('The feed of a live stream failed.', ['streamGuid', 'reason', 'err']),
  'live-viewers.uncounted': delivery.warn('Viewers of live streams could not be counted.', ['err']),
  'i-frames.unlisted': delivery.warn('The I-frames of a video could not be listed.', ['err']),
  'licences.uncounted': delivery.warn('Licences could not be counted. The count is retried.', ['err']),
};
