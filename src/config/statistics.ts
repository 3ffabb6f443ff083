import { parseSwitch, parseWholeNumber, setting } from './setting.ts';

export type StatisticsSettings = {
  /** Whether different viewers are counted, by a sketch. Off: addresses are not even hashed. */
  countsUniqueViewers: boolean;
  /** Whether estimates for other players count in the charts. */
  countsOtherPlayers: boolean;
  /** Whether a CDN hides deliveries from the edge, so that views are bounded by rates instead. */
  countsByRate: boolean;
  /** Days for which sessions are kept. Their sums stay. */
  sessionDays: number;
};

/** Minimum days: a session may last three days, and would be counted again without its row. */
const MIN_DAYS = 7;
const MAX_DAYS = 3650;
const USUAL_DAYS = 90;

export const statisticsSchema = {
  MILLRACE_UNIQUE_VIEWERS: setting('on or off', parseSwitch),
  MILLRACE_COUNT_OTHER_PLAYERS: setting('on or off', parseSwitch),
  MILLRACE_VIEW_EVIDENCE: setting('delivery or rate', parseEvidence),
  MILLRACE_SESSION_DAYS: setting(`a number of days from ${MIN_DAYS} to ${MAX_DAYS}`, parseDays),
};

export function statisticsSettings(texts: Partial<Record<keyof typeof statisticsSchema, string>>): StatisticsSettings {
  return {
    countsUniqueViewers: parseSwitch(texts.MILLRACE_UNIQUE_VIEWERS ?? '') ?? true,
    countsOtherPlayers: parseSwitch(texts.MILLRACE_COUNT_OTHER_PLAYERS ?? '') ?? false,
    countsByRate: parseEvidence(texts.MILLRACE_VIEW_EVIDENCE ?? '') === 'rate',
    sessionDays: parseDays(texts.MILLRACE_SESSION_DAYS ?? '') ?? USUAL_DAYS,
  };
}

function parseEvidence(text: string): 'delivery' | 'rate' | null {
  return text === 'delivery' || text === 'rate' ? text : null;
}

function parseDays(text: string): number | null {
  return parseWholeNumber(text, MIN_DAYS, MAX_DAYS);
}
