/** Returns the sum of a chart's values; 0 for a missing chart. */
export function total(chart: Readonly<Record<string, number>> | null): number {
  return Object.values(chart ?? {}).reduce((sum, value) => sum + value, 0);
}
