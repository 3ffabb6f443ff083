import type { LogEvent } from './define-event.ts';
import { describeError } from './describe-error.ts';
import { LOG_EVENTS, type LogEventName, type LogEvents } from './events/all.ts';
import { LineLimit, WINDOW_MS } from './line-limit.ts';
import { logContext } from './log-context.ts';
import type { FieldName, FieldValues } from './log-fields.ts';
import { type LevelPlan, LOG_LEVELS, type LogLevel } from './log-levels.ts';
import { redact } from './redact.ts';

/** A line of the log, without secrets. */
export type LogLine = { level: LogLevel; message: string; fields: Readonly<Record<string, unknown>> };

/**
 * Destination of the lines of this process. `role` selects levels in addition to the part. `writeAccess` must not
 * block; it returns false if the line was dropped. `isUnlimited` writes repeated lines too.
 */
export type LogSink = {
  role: string | null;
  levels: LevelPlan;
  accessLog: 'off' | 'errors' | 'all';
  isUnlimited?: boolean;
  write(line: LogLine): void;
  writeAccess?(line: LogLine): boolean;
};

type RefsOf<Name extends LogEventName> = LogEvents[Name] extends LogEvent<infer Ref> ? Ref : never;

/** Values for an event's fields. */
export type EventValues<Name extends LogEventName> = FieldValues<RefsOf<Name>>;

/** Fields that hold ids, which are never secrets. */
const IDS: ReadonlySet<string> = new Set<FieldName>(['requestId', 'jobId', 'taskId', 'videoGuid', 'streamGuid']);
/** Maximum characters of a text, and of each text of an error. Texts are cut after secrets are masked in them. */
const MAX_TEXT_CHARS = 1_000;
const MAX_ERROR_CHARS = 3_000;

let sink: LogSink | null = null;
let limit = new LineLimit();
let timer: NodeJS.Timeout | null = null;
let droppedAccess = 0;

/** Sends the lines of this process to `next` from now on; null discards them. Returns the previous destination. */
export function setLogSink(next: LogSink | null): LogSink | null {
  const before = sink;
  sink = next;
  limit = new LineLimit();
  if (timer !== null) clearInterval(timer);
  timer = next === null ? null : setInterval(reportSuppressed, WINDOW_MS).unref();
  return before;
}

/** Writes the line of an event of the catalogue, with the fields of the context, unless its level is off. */
export function logEvent<Name extends LogEventName>(name: Name, values: EventValues<Name>): void {
  const event: LogEvent = LOG_EVENTS[name];
  const to = sink;
  if (to === null || !isWritten(event, to)) return;
  const given: Readonly<Partial<Record<string, unknown>>> = values;
  let suppressed: number | null = 0;
  if (event.perKey !== null && to.isUnlimited !== true)
    suppressed = limit.admit(name, limitKey(event, given), Date.now());
  if (suppressed === null) return;
  to.write(lineOf(name, event, { ...given, ...(suppressed > 0 && { suppressed }) }));
}

/** Returns whether this process logs requests. */
export function isAccessLogged(): boolean {
  return sink?.writeAccess !== undefined;
}

/** Writes an access line without blocking. Lines that the destination cannot take are counted in the next one. */
export function logAccess(values: EventValues<'http.request'>): void {
  const to = sink;
  if (to?.writeAccess === undefined || (to.accessLog === 'errors' && values.status < 400)) return;
  const counted = droppedAccess > 0 ? { ...values, dropped: droppedAccess } : values;
  if (to.writeAccess(lineOf('http.request', LOG_EVENTS['http.request'], counted))) droppedAccess = 0;
  else droppedAccess += 1;
}

/** Writes a line that another thread of this process made. */
export function forwardLog(line: LogLine): void {
  sink?.write(line);
}

function isWritten({ part, level }: LogEvent, { role, levels }: LogSink): boolean {
  const least = levels.parts[part] ?? (role === null ? undefined : levels.parts[role]) ?? levels.level;
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}

/** Without named fields, lines with the same error or reason are equal. */
function limitKey({ perKey }: LogEvent, values: Readonly<Partial<Record<string, unknown>>>): string {
  if (perKey !== null && perKey.length > 0) return perKey.map((name) => String(values[name])).join(' ');
  const { err, reason } = values;
  return err instanceof Error ? err.message : String(reason ?? err ?? '');
}

function lineOf(name: string, event: LogEvent, values: Readonly<Record<string, unknown>>): LogLine {
  const fields: Record<string, unknown> = { part: event.part, event: name };
  for (const [field, value] of Object.entries({ ...logContext(), ...values })) {
    if (value !== null && value !== undefined) fields[field] = cleanValue(field, value);
  }
  return { level: event.level, message: event.message, fields };
}

function cleanValue(field: string, value: unknown): unknown {
  if (field === 'err') return cleanTexts(describeError(value));
  return typeof value === 'string' && !IDS.has(field) ? redact(value).slice(0, MAX_TEXT_CHARS) : roundOff(value);
}

function cleanTexts(value: unknown): unknown {
  if (typeof value === 'string') return redact(value).slice(0, MAX_ERROR_CHARS);
  if (Array.isArray(value)) return value.map(cleanTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cleanTexts(one)]));
}

/** Three decimals are enough for durations and speeds. */
function roundOff(value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Math.round(value * 1000) / 1000 : value;
}

function reportSuppressed(): void {
  for (const { event, suppressed } of limit.drain(Date.now())) logEvent('log.suppressed', { name: event, suppressed });
}
