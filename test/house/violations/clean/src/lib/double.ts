// https://double.example/a-line-without-a-space-to-break-at-may-be-longer-than-others-as-an-address-or-a-pattern-often-has-to-be
export function double(value: number): number {
  return value * 2;
}
