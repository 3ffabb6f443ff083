import { parseSwitch, parseWholeNumber, setting } from './setting.ts';

export type StatisticsSettings = {
  /** True if distinct viewers are counted, with a sketch. If false, addresses are not even hashed. */
  countsUniqueViewers: boolean;
  /** True if estimates for other players count in the charts. */
  countsOtherPlayers: boolean;
  /** True if a CDN hides deliveries from the edge, so that views are limited by rates instead. */
  countsByRate: boolean;
  /** Days for which sessions are kept. Their sums are kept longer. */
  sessionDays: number;
};

/** Minimum days. A session may last three days, and would be counted again without its row. */
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
