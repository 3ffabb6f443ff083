import { createRequire } from 'node:module';
import { type Logger, pino } from 'pino';
import type { PrettyStream } from 'pino-pretty';

/**
 * Opens the log of a process: JSON lines on standard output, or readable lines on a terminal. Writes are synchronous,
 * so that the last line before an exit is not lost.
 */
export function openLog(part: string): Logger {
  const options = { base: { part, pid: process.pid } };
  return process.stdout.isTTY ? pino(options, openPretty()) : pino(options, pino.destination({ fd: 1, sync: true }));
}

function openPretty(): PrettyStream {
  // Load this only on a terminal, to save memory in a background service.
  const require = createRequire(import.meta.url);
  const pretty = require('pino-pretty') as typeof import('pino-pretty'); // `require` is untyped.
  return pretty({ sync: true, ignore: 'pid', destination: 1 });
}
