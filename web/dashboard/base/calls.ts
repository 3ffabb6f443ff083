import { signal } from '@preact/signals';

/** An operation call made by this page. */
export type Call = { id: number; method: string; path: string; body: unknown };

const MAX_KEPT_CALLS = 40;
let lastId = 0;

/** Recent calls, newest first. Every screen can show its recent calls as code. */
export const calls = signal<readonly Call[]>([]);

/** Records a call of a published operation. Calls used only by the dashboard are omitted. */
export function noteCall({ method, path, body }: Omit<Call, 'id'>): void {
  if (path.startsWith('/dashboard/')) return;
  const content = JSON.stringify(body);
  const same = (call: Call) => call.method === method && call.path === path && JSON.stringify(call.body) === content;
  lastId += 1;
  calls.value = [{ id: lastId, method, path, body }, ...calls.value.filter((call) => !same(call))].slice(
    0,
    MAX_KEPT_CALLS,
  );
}
