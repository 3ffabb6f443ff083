import { afterEach, expect, test, vi } from 'vitest';
import { openFirewall } from './open-firewall.ts';
import { OWN_RULES } from './own-rules.ts';

afterEach(() => void vi.useRealTimers());

test('retries reading the rules after a failure', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const errors: unknown[] = [];
  let isAway = true;
  const load = async () => {
    if (isAway) throw new Error('away');
    return OWN_RULES;
  };
  const firewall = openFirewall(load, (error) => void errors.push(error));
  expect([await firewall.ready(), await firewall.ready(), firewall.current()]).toEqual([null, null, null]);
  isAway = false;
  expect([await firewall.ready(), errors.length]).toEqual([null, 1]);
  vi.advanceTimersByTime(10_000);
  const found = await firewall.ready();
  expect(found).not.toBeNull();
  expect([await firewall.ready(), firewall.current(), errors.length]).toEqual([found, found, 1]);
});
