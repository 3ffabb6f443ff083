import { eventsOf } from '../define-event.ts';

const service = eventsOf('service');
const database = eventsOf('database');

/** Events of processes: their start and end, settings, and the log itself. */
export const serviceEvents = {
  'role.started': service.info('A role is starting.', ['version']),
  'role.ready': service.info('A role is ready.', ['listeners', 'durationMs']),
  'role.draining': service.info('A role is finishing its work, then stops.'),
  'role.drain-requested': service.info('This process was asked to drain. It takes no new work.'),
  'role.incompatible': service.error('A newer version changed the database. This role accepts no more work.', [
    'reason',
  ]),
  'role.unchecked': service.warn('The version of the database could not be checked. It is checked again.', ['err']),
  'role.stopped': service.info('A role has stopped.', ['durationMs']),
  'role.failed': service.error('A role failed and exits.', ['err']),
  'role.exited': service.warn(
    'The process of a role exited. It is started again.',
    ['name', 'exit', 'durationMs', 'waitMs'],
    { perKey: ['name'] },
  ),
  'role.unreachable': service.warn('The process of a role could not be started or sent a message.', ['name', 'err']),
  'service.ready': service.info('ready', ['publicUrl', 'edgeUrl', 'listeners', 'sandbox']),
  'service.stopping': service.info('The service is stopping.'),
  'service.stopped': service.info('The service has stopped.'),
  'setting.unknown': service.warn('A setting has an unknown name and is ignored.', ['name', 'reason?'], {
    perKey: ['name'],
  }),
  'node.not-reported': service.warn('This process could not be reported to the database.', ['err']),
  'secret-key.changed': service.info('This process uses other secret keys, because of a rotation.', ['name', 'count']),
  'secret-key.unknown': service.error('A rotation of the secret key is between keys that this process does not have.', [
    'name',
  ]),
  'secret-key.unread': service.warn('The secret key or its rotation could not be read. The current keys stay in use.', [
    'err',
  ]),
  'tls.reloaded': service.info('The listener uses a new certificate.', ['until']),
  'tls.not-reloaded': service.warn('A new certificate or key cannot be used. The old pair stays in use.', ['reason']),
  'tls.expiring': service.warn('The certificate expires within 14 days. Renew it.', ['until']),
  'tls.expired': service.warn('The certificate has expired. Clients refuse the connection. Renew it.', ['until']),
  'sandbox.weak': service.warn('Encoders run without a full sandbox.', ['sandbox', 'reason']),
  'data-folder.closed': service.warn('The data folder was readable by other users. Its mode is 0700 now.', ['mode']),
  'log.suppressed': service.warn('Repeated lines of an event were omitted.', ['name', 'suppressed'], {
    perKey: ['name'],
  }),
  'thread.ended': service.warn('The statistics thread exited. The next report starts another one.', ['err']),
  'table.unreadable': service.warn('A table of IP ranges could not be read. It is not used.', ['reason', 'err']),
  'dashboard.unbundled': service.error('The dashboard could not be bundled. The next page request tries again.', [
    'err',
  ]),
};

/** Events of the connection to PostgreSQL. */
export const databaseEvents = {
  'database.unreachable': database.error('The database cannot be reached.', ['reason']),
  'database.reachable': database.info('The database can be reached again.', ['durationSec']),
  'database.connection-lost': database.warn('A database connection was lost.', ['err']),
  'database.no-slots': database.warn(
    'PostgreSQL has too few free connection slots. The process waits for them before it starts.',
    ['reason'],
  ),
  'postgres.detail': database.debug('The built-in database reports a detail.', ['reason']),
  'postgres.warning': database.warn('The built-in database warns or is started again.', ['reason']),
  'postgres.failed': database.error('The built-in database reports a failure.', ['reason']),
  'migration.waiting': database.warn('A migration waits for the lock of a table, and is tried again.', ['err']),
  'migration.applied': database.info('A migration was applied.', ['name', 'durationMs?']),
};
