import { eventsOf } from '../define-event.ts';

const live = eventsOf('live');

/** Events of publishers and live streams. */
export const liveEvents = {
  'publisher.connected': live.info(
    'A publisher connected to its stream.',
    ['streamGuid', 'libraryId', 'session', 'protocol', 'slot', 'address'],
    { perKey: ['streamGuid'] },
  ),
  'publisher.refused': live.info('A publisher was refused.', ['protocol', 'address', 'reason', 'streamGuid?'], {
    perKey: ['address', 'reason'],
  }),
  'publisher.taken-over': live.info(
    'Another publisher with the same key took over.',
    ['streamGuid', 'libraryId', 'session', 'slot'],
    { perKey: ['streamGuid'] },
  ),
  'publisher.idle': live.info('A publisher sends no media.', ['streamGuid', 'libraryId', 'session', 'slot'], {
    perKey: ['streamGuid'],
  }),
  'publisher.resumed': live.info('A publisher sends media again.', ['streamGuid', 'libraryId', 'session', 'slot'], {
    perKey: ['streamGuid'],
  }),
  'publisher.ended': live.info(
    'A publisher left or was disconnected.',
    ['streamGuid', 'libraryId', 'session', 'protocol', 'slot', 'address', 'reason', 'bytes', 'durationSec'],
    { perKey: ['streamGuid'] },
  ),
  'stream.owned': live.info('This process owns a stream.', ['streamGuid', 'libraryId', 'isRecovered']),
  'stream.previewed': live.info('A stream has a publisher and can be previewed.', ['streamGuid', 'libraryId']),
  'stream.started': live.info('A stream started.', ['streamGuid', 'libraryId']),
  'stream.moved': live.info('A stream has another owner now, or was deleted.', ['streamGuid', 'libraryId']),
  'stream.ended': live.info('A stream ended.', ['streamGuid', 'libraryId', 'state', 'reason?', 'durationSec?']),
  'stream.sealed': live.info('A stream was sealed into a video.', ['streamGuid', 'libraryId']),
  'live.failed': live.warn('Work for a live stream failed.', ['err']),
  'live.listener-missing': live.warn('A listener for publishers is not available.', ['protocol', 'reason']),
};
