import { eventsOf } from '../define-event.ts';

const http = eventsOf('http');
const keys = eventsOf('keys');

/** Events of requests. */
export const httpEvents = {
  'http.request': http.info('A request ended.', [
    'method',
    'path',
    'status',
    'durationMs',
    'bytes',
    'address',
    'operation?',
    'reason?',
    'dropped?',
  ]),
  'request.failed': http.error('A request failed.', ['operation', 'err']),
  'request.gone': http.debug('The client disconnected before its request was complete.', ['operation']),
  'request.host-unrecorded': http.error('A request with an ambiguous host could not be recorded.', ['err']),
  'audit.unstored': http.error('An audit line could not be stored.', ['operation', 'err']),
  'progress.unreported': http.error('Progress of videos could not be reported. The report is retried.', ['err']),
  'firewall.unreadable': http.error('The firewall rules could not be read. Requests are not inspected.', ['err']),
  'inspection.unreadable': http.warn('The inspection settings could not be read. The last known ones apply.', ['err']),
  'security-events.lost': http.error('Security events could not be stored. They are lost.', ['count', 'err?']),
};

/** Events of keys and sign-ins. Keys are named by their ids. */
export const keyEvents = {
  'key.created': keys.info('An access key was created.', ['keyId', 'libraryId?', 'scope']),
  'key.revoked': keys.info('An access key was revoked.', ['keyId', 'libraryId?']),
  'key.replaced': keys.info('A key of a library was replaced.', ['keyId', 'libraryId']),
  'sign-in.accepted': keys.info('A browser signed in.', [
    'address',
    'scope?',
    'libraryId?',
    'personId?',
    'providerId?',
    'passkeyId?',
  ]),
  'sign-in.refused': keys.warn('A sign-in was refused.', ['address', 'reason', 'providerId?', 'err?'], {
    perKey: ['address'],
  }),
  'sign-in.provider-changed': keys.info('A sign-in provider was created, changed or deleted.', ['providerId', 'state']),
  'sign-in.ended': keys.info('A browser signed out, or a provider ended sessions.', ['address', 'providerId?']),
  'sign-in.logout-refused': keys.warn(
    'A logout token of a provider was refused.',
    ['address', 'providerId', 'reason', 'err'],
    { perKey: ['address'] },
  ),
  'person.invited': keys.info('A person was invited.', ['personId']),
  'person.joined': keys.info('A person chose a password.', ['personId']),
  'person.linked': keys.info('A person signed in with an account of a provider for the first time.', [
    'personId',
    'providerId',
  ]),
  'person.owner-kept': keys.warn('Groups of a provider would demote the last owner. The role was kept.', [
    'personId',
    'providerId',
  ]),
  'person.changed': keys.info('The role, status or data of a person changed.', ['personId']),
  'person.deleted': keys.info('A person was deleted.', ['personId']),
  'person.secured': keys.info('A person changed their password, second factor or passkeys.', ['personId']),
};
