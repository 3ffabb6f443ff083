import { expect, test } from 'vitest';
import { readWafSettings } from '../../libraries/library-settings.ts';
import { Firewall } from '../firewall/firewall.ts';
import { compileInTurns } from '../firewall/open-firewall.ts';
import { OWN_RULES } from '../firewall/own-rules.ts';
import { INSPECTION_RATE, judgeFirewall } from './judge-firewall.ts';
import { RateBuckets } from './rate-buckets.ts';

test('temporarily refuses only the client whose requests take too long to inspect', async () => {
  const firewall = new Firewall(await compileInTurns(OWN_RULES));
  const context = { firewall: { current: () => firewall }, rates: new RateBuckets(), dry: false };
  const judge = (client: string, nowMs: number) => {
    const rawHeaders = ['Host', 'a', 'User-Agent', 'a browser'];
    const request = { method: 'GET', url: '/.env', httpVersion: '1.1', rawHeaders, address: client };
    const inspected = { request, waf: { ...readWafSettings({}), blocks: true } };
    const verdict = judgeFirewall({ inspected, client: { key: client }, nowMs, purpose: 'unknown' }, context);
    return verdict.kind === 'block' ? `${verdict.status} ${verdict.hit.rule.id}` : verdict.kind;
  };
  const spentMs = INSPECTION_RATE.perSec + INSPECTION_RATE.burst + 1_000;
  expect(judge('192.0.2.7', 0)).toBe('403 930130');
  context.rates.take('firewall|192.0.2.7', INSPECTION_RATE, { nowMs: 0, dry: false, amount: spentMs });
  expect([judge('192.0.2.7', 0), judge('192.0.2.8', 0), judge('192.0.2.7', 10_000)]).toEqual([
    '429 10140',
    '403 930130',
    '403 930130',
  ]);
});
