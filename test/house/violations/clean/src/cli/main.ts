import { double } from '../lib/double.ts';

export function main(): number {
  return double(21);
}
