import type { CutList } from '../../timeline/cut-list.ts';
import { VIDEO_TIMESCALE } from '../tracks/access-unit.ts';

/** Joins the cut lists of consecutive periods into one timeline, in ticks of live video. */
export function joinCuts(periods: readonly CutList[]): CutList {
  let endTicks = 0;
  const startTicks: number[] = [];
  for (const period of periods) {
    const toTicks = (ticks: number) => Math.round((ticks * VIDEO_TIMESCALE) / period.timescale);
    for (const tick of period.startTicks) startTicks.push(endTicks + toTicks(tick));
    endTicks += toTicks(period.endTicks);
  }
  return { timescale: VIDEO_TIMESCALE, startTicks, endTicks, grid: { kind: 'source' } };
}
