import { LOG_PARTS } from '../lib/log/define-event.ts';
import {
  DEFAULT_LEVELS,
  explainLevels,
  type LevelPlan,
  LOG_LEVELS,
  nearest,
  parseLevels,
} from '../lib/log/log-levels.ts';
import { roles } from './roles.ts';
import { setting } from './setting.ts';

/** Parts of the log and roles, whose levels can be set. `live` is the part of the role `ingest`. */
const NAMES = [...new Set<string>([...LOG_PARTS, ...roles, 'supervisor'])];

const FORMATS = ['pretty', 'json'] as const;
const ACCESS = ['off', 'errors', 'all'] as const;

export type LogSettings = {
  /** Least urgent lines that are written, by part. */
  logLevels: LevelPlan;
  /** Null: `pretty` on a terminal, otherwise `json`. */
  logFormat: (typeof FORMATS)[number] | null;
  /** Requests that the api and the edge log. */
  accessLog: (typeof ACCESS)[number];
};

const oneOf = <Word extends string>(text: string, words: readonly Word[]) =>
  words.find((word) => word === text) ?? null;

export const logSchema = {
  MILLRACE_LOG_LEVEL: setting(
    `one of ${LOG_LEVELS.join(', ')}, with exceptions such as info,ingest=debug for ${NAMES.join(', ')}`,
    (text) => parseLevels(text, NAMES),
    { hint: (text) => explainLevels(text, NAMES) },
  ),
  MILLRACE_LOG_FORMAT: setting('pretty or json', (text) => oneOf(text, FORMATS), {
    hint: (text) => nearest(text, FORMATS),
  }),
  MILLRACE_ACCESS_LOG: setting('off, errors or all', (text) => oneOf(text, ACCESS), {
    hint: (text) => nearest(text, ACCESS),
  }),
};

export function logSettings(texts: Partial<Record<keyof typeof logSchema, string>>): LogSettings {
  return {
    logLevels: parseLevels(texts.MILLRACE_LOG_LEVEL ?? '', NAMES) ?? DEFAULT_LEVELS,
    logFormat: oneOf(texts.MILLRACE_LOG_FORMAT ?? '', FORMATS),
    accessLog: oneOf(texts.MILLRACE_ACCESS_LOG ?? '', ACCESS) ?? 'off',
  };
}
