import { createRequire } from 'node:module';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogSettings } from '../config/logs.ts';
import { type LogLine, setLogSink } from '../lib/log/log-event.ts';
import { DEFAULT_LEVELS } from '../lib/log/log-levels.ts';

const USUAL_SETTINGS: LogSettings = { logLevels: DEFAULT_LEVELS, logFormat: null, accessLog: 'off' };

/** Maximum bytes of access lines that wait for a slow reader of standard output. */
const ACCESS_BUFFER_BYTES = 1024 * 1024;
/**
 * Bytes per write of access lines. A pipe accepts up to this many bytes atomically (PIPE_BUF), so the lines of
 * different roles never mix.
 */
const ACCESS_WRITE_BYTES = 4096;
const ACCESS_GATHER_BYTES = 3072;
const ACCESS_FLUSH_MS = 500;

/**
 * Opens the log of this process: JSON lines on standard output, or readable lines on a terminal. Writes are
 * synchronous, so that the last line before an exit is not lost. Only access lines are buffered.
 */
export function openLog(role: string, settings: LogSettings = USUAL_SETTINGS): void {
  const isPretty = (settings.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json')) === 'pretty';
  const log = openPino(role, isPretty ? openPretty(true) : pino.destination({ fd: 1, sync: true }));
  const access = settings.accessLog === 'off' ? null : openAccess(role, isPretty);
  setLogSink({
    role,
    levels: settings.logLevels,
    accessLog: settings.accessLog,
    write: (line) => writeTo(log, line),
    ...(access !== null && { writeAccess: access }),
  });
}

function writeTo(log: Logger, { level, fields, message }: LogLine): void {
  log[level](fields, message);
}

function openPino(role: string, destination: DestinationStream): Logger {
  const options = {
    level: 'debug',
    base: { role, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // The fields are plain data without secrets.
    serializers: {},
  };
  return pino(options, destination);
}

/** Opens a buffer that drops lines while it is full. */
function openAccess(role: string, isPretty: boolean): (line: LogLine) => boolean {
  let isDropped = false;
  const options = { fd: 1, sync: false, minLength: ACCESS_GATHER_BYTES, maxWrite: ACCESS_WRITE_BYTES };
  const buffer = pino.destination({ ...options, maxLength: ACCESS_BUFFER_BYTES });
  buffer.on('drop', () => {
    isDropped = true;
  });
  // A closed standard output must not end the service.
  buffer.on('error', () => undefined);
  setInterval(() => buffer.flush(), ACCESS_FLUSH_MS).unref();
  process.once('exit', () => buffer.flushSync());
  const log = openPino(role, isPretty ? openPretty(buffer) : buffer);
  return (line) => {
    isDropped = false;
    writeTo(log, line);
    return !isDropped;
  };
}

function openPretty(destination: true | DestinationStream): DestinationStream {
  // Load this only on a terminal, to save memory in a background service.
  const require = createRequire(import.meta.url);
  const pretty = require('pino-pretty') as typeof import('pino-pretty'); // `require` is untyped.
  return pretty({
    sync: true,
    singleLine: true,
    ignore: 'pid,role,part,event',
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: '{role} {event}: {msg}',
    destination: destination === true ? 1 : destination,
  });
}
