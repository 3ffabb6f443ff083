import type { WafSettings } from '../../libraries/library-settings.ts';
import type { Firewall } from '../firewall/firewall.ts';
import { findBot, judgeInspection } from '../firewall/judge-inspection.ts';
import type { InspectedRequest } from '../firewall/request-fields.ts';
import type { Verdict } from '../hit.ts';
import { RULES } from '../rules.ts';
import type { Rate, RateBuckets } from './rate-buckets.ts';

/** Input of the firewall, with its settings. */
export type Inspected = { request: InspectedRequest; waf: WafSettings };

/** A request that may be inspected: `inspected` is null if there is nothing to inspect. */
export type InspectableRequest = {
  inspected: Inspected | null;
  client: { key: string };
  nowMs: number;
  purpose: string;
};

/** `current` is null until the rules are compiled; `dry`: nothing is counted. */
export type InspectionContext = { firewall: { current(): Firewall | null }; rates: RateBuckets; dry: boolean };

/** Maximum inspection time of one client, in ms per second, with a burst. A flood of attacks cannot cost more. */
export const INSPECTION_RATE: Rate = { perSec: 200, burst: 2_000 };

/**
 * Inspects a request with the firewall. Matches are only logged if the zone does not block. A client over its
 * inspection limit is refused as a flood.
 */
export function judgeFirewall(
  { inspected, client, nowMs, purpose }: InspectableRequest,
  { firewall: source, rates, dry }: InspectionContext,
): Verdict {
  const firewall = source.current();
  if (inspected === null || firewall === null || !inspected.waf.enabled) return { kind: 'allow' };
  const bucket = `firewall|${client.key}`;
  const wait = rates.take(bucket, INSPECTION_RATE, { nowMs, dry, amount: 0 });
  if (wait > 0) {
    const hit = { rule: RULES.rate, expected: 'fewer requests for files that do not exist', received: 'more' };
    return { kind: 'block', hit, status: 429, retryAfterSec: wait };
  }
  const before = process.threadCpuUsage();
  const { blocking, logged } = judgeInspection(firewall, inspected.request, inspected.waf);
  rates.take(bucket, INSPECTION_RATE, { nowMs, dry, amount: millisecondsSince(before) });
  if (blocking !== null) return { kind: 'block', hit: blocking, status: 403, retryAfterSec: null };
  const hits = logged.length === 0 && purpose === 'unknown' ? findBot(inspected.request) : logged;
  return hits.length === 0 ? { kind: 'allow' } : { kind: 'log', hits };
}

/** CPU time of this thread only, because other work on a busy machine is not the client's. */
function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
