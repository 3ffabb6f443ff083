import { signal } from '@preact/signals';

/** A call of an operation that this page made. */
export type Call = { id: number; method: string; path: string; body: unknown };

const MOST_KEPT = 40;
let lastId = 0;

/** The newest calls first: every screen can show what it just did as code. */
export const calls = signal<readonly Call[]>([]);

/** Notes a call of a published operation; what only the dashboard's own pages use is left out. */
export function noteCall({ method, path, body }: Omit<Call, 'id'>): void {
  if (path.startsWith('/dashboard/')) return;
  const content = JSON.stringify(body);
  const same = (call: Call) => call.method === method && call.path === path && JSON.stringify(call.body) === content;
  lastId += 1;
  calls.value = [{ id: lastId, method, path, body }, ...calls.value.filter((call) => !same(call))].slice(0, MOST_KEPT);
}
