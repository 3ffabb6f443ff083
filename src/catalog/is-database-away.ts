import { hasCode } from '../lib/has-code.ts';
import { Refused } from '../lib/refused.ts';

/**
 * SQLSTATE read_only_sql_transaction: the server is a standby that is not promoted yet, or has
 * `default_transaction_read_only`. Reads work. Writes work again once the server is writable.
 */
const READ_ONLY = '25006';
/**
 * PostgreSQL's classes 08 (connection), 53 (resources), 57P (shutdown), its timeouts, and errors of sockets and the
 * pool.
 */
const AWAY_CODES =
  /^(08...|53...|57P0.|57014|55P03|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** Prefix of the error message for a connection that was closed because its server did not respond. */
export const SILENT_DATABASE = 'The database has not responded';

/** Beginnings of error messages. */
const AWAY_WORDS = [
  'Connection terminated',
  SILENT_DATABASE,
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
];
/** Whole message of the client's error if its time limit ends before that of the pool. */
const CONNECT_TIMEOUT = 'timeout expired';

/** Returns whether an error, or one of its causes, means that the database accepts no writes. */
export function isDatabaseReadOnly(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (hasCode(cause, READ_ONLY)) return true;
  return false;
}

/**
 * Returns whether an error, or one of its causes, means that the database is currently unreachable or read-only. The
 * cause of a `Refused` is a fault of another service, such as the source of an import.
 */
export function isDatabaseAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error && !(cause instanceof Refused); cause = cause.cause) {
    const { code, syscall }: { code?: unknown; syscall?: unknown } = Object(cause);
    if (typeof code === 'string' && isAwayCode(code, syscall)) return true;
    if (beginsAway(cause.message)) return true;
  }
  return false;
}

function isAwayCode(code: string, syscall: unknown): boolean {
  return AWAY_CODES.test(code) || code === READ_ONLY || (code === 'ENOENT' && syscall === 'connect');
}

function beginsAway(message: string): boolean {
  return message === CONNECT_TIMEOUT || AWAY_WORDS.some((words) => message.startsWith(words));
}
