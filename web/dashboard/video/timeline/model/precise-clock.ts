import { clock } from '../../../base/words.ts';

/** Formats seconds as a clock with milliseconds: 3:07.250. */
export function preciseClock(sec: number): string {
  const ms = Math.max(0, Math.round(sec * 1000));
  return `${clock(Math.floor(ms / 1000))}.${String(ms % 1000).padStart(3, '0')}`;
}
