export function first(values: readonly number[]): number {
  return values[0]!;
}
