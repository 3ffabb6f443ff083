import type { FieldName, FieldRef } from './log-fields.ts';
import type { LogLevel } from './log-levels.ts';

/** Parts of the service that write log lines. `MILLRACE_LOG_LEVEL` sets the level of each. */
export const LOG_PARTS = [
  'service',
  'database',
  'storage',
  'http',
  'upload',
  'live',
  'tasks',
  'video',
  'webhook',
  'keys',
  'housekeeping',
  'backup',
  'delivery',
] as const;

export type LogPart = (typeof LOG_PARTS)[number];

/**
 * An event of the log. `message` is the text of its line, without values. `perKey` names the fields that distinguish
 * its lines. If they are equal in several lines, only the first few lines in a minute are written.
 */
export type LogEvent<Ref extends FieldRef = FieldRef> = {
  part: LogPart;
  level: LogLevel;
  message: string;
  fields: readonly Ref[];
  perKey: readonly FieldName[] | null;
};

type Options = { perKey?: readonly FieldName[] };

/**
 * Returns functions that define the events of a part by level. Lines of `warn` and `error` are always limited, because
 * a fault may repeat with each request.
 */
export function eventsOf(part: LogPart) {
  const at =
    (level: LogLevel) =>
    <const Ref extends FieldRef = never>(
      message: string,
      fields: readonly Ref[] = [],
      { perKey }: Options = {},
    ): LogEvent<Ref> => ({
      part,
      level,
      message,
      fields,
      perKey: perKey ?? (level === 'warn' || level === 'error' ? [] : null),
    });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
