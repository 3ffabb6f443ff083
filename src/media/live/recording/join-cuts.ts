import type { CutList } from '../../timeline/cut-list.ts';

/** Joins the cut lists of consecutive periods into one timeline with a timescale. */
export function joinCuts(periods: readonly CutList[], timescale: number): CutList {
  let endTicks = 0;
  const startTicks: number[] = [];
  for (const period of periods) {
    const toTicks = (ticks: number) => Math.round((ticks * timescale) / period.timescale);
    for (const tick of period.startTicks) startTicks.push(endTicks + toTicks(tick));
    endTicks += toTicks(period.endTicks);
  }
  return { timescale, startTicks, endTicks, grid: { kind: 'source' } };
}
