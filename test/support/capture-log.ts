import { type LogLine, setLogSink } from '../../src/lib/log/log-event.ts';

const receivers = new Set<(line: LogLine) => void>();

/**
 * Collects all lines that this process logs from now on, at the given levels. `named` returns the fields of all lines
 * of an event. `isUnlimited` disables rate limiting.
 */
export function captureLog(
  levels: readonly LogLine['level'][] = ['debug', 'info', 'warn', 'error'],
  { isUnlimited = false } = {},
) {
  const lines: LogLine[] = [];
  const receive = (line: LogLine) => void (levels.includes(line.level) && lines.push(line));
  receivers.add(receive);
  setLogSink({
    role: 'test',
    levels: { level: 'debug', parts: {} },
    accessLog: 'off',
    isUnlimited,
    write: (line) => {
      for (const each of receivers) each(line);
    },
  });
  return {
    lines,
    named: (event: string) => lines.flatMap(({ fields }) => (fields.event === event ? [fields] : [])),
    stop: () => void receivers.delete(receive),
  };
}
