import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

/**
 * The log of a process: JSON lines on standard output, readable ones on a terminal. Written at once,
 * so that the last line before an exit is not lost.
 */
export function openLog(part: string): Logger {
  const options = { base: { part, pid: process.pid } };
  if (process.stdout.isTTY) return pino(options, pretty({ sync: true, ignore: 'pid', destination: 1 }));
  return pino(options, pino.destination({ fd: 1, sync: true }));
}
