import { readWafSettings } from '../src/catalog/libraries/library-settings.ts';
import { readAddress } from '../src/catalog/pull-zones/url-token.ts';
import { signFolder } from '../src/catalog/pull-zones/verify-url-token.ts';
import {
  type AdmissionContext,
  type AdmissionRequest,
  admit,
  isBlocked,
} from '../src/catalog/shield/admission/admit.ts';
import { compilePolicy } from '../src/catalog/shield/admission/compiled-policy.ts';
import { HostRules } from '../src/catalog/shield/admission/host-rules.ts';
import { KnownTokens } from '../src/catalog/shield/admission/known-tokens.ts';
import { OpenAnswers } from '../src/catalog/shield/admission/open-answers.ts';
import { CLIENT_RATE, RateBuckets } from '../src/catalog/shield/admission/rate-buckets.ts';
import { Firewall } from '../src/catalog/shield/firewall/firewall.ts';
import { judgeInspection } from '../src/catalog/shield/firewall/judge-inspection.ts';
import { compileInTurns } from '../src/catalog/shield/firewall/open-firewall.ts';
import { readRuleTexts } from '../src/compose/firewall.ts';
import { makeZonePolicy } from '../test/support/zone-policy.ts';
import { compareFirewalls } from './support/compare-firewalls.ts';
import { type Measurement, report } from './support/report.ts';

// Measures the CPU time, in microseconds, to admit a request with a known token and with a new one, and to inspect a
// harmless request and an attack in the firewall. Then measures whole requests of a corpus at the edge and at nginx
// with ModSecurity and the same rules, and compares which requests both detect.
const TOKENS = 10_000;
const ROUNDS = 5;
const INSPECTIONS = 2_000;

await report('shield', async (scope) => {
  const zone = makeZonePolicy(1);
  const policy = compilePolicy({
    ...zone,
    settings: { ...zone.settings, tokenRequired: true, requestsPerSec: 1_000_000, blockedAddresses: ['192.0.2.0/24'] },
    referrers: { ...zone.referrers, allowedReferrers: ['owner.example'] },
  });
  const requests = Array.from({ length: TOKENS }, (_, index) => requestOf(policy, index));
  const context: AdmissionContext = {
    ownHosts: new HostRules([]),
    tokens: new KnownTokens(),
    rates: new RateBuckets(),
    clientRate: CLIENT_RATE,
    openAnswers: new OpenAnswers(),
    firewall: { current: () => null },
    dry: false,
  };
  const admitAll = () => {
    for (const request of requests)
      if (isBlocked(admit(request, context))) throw new Error('Expected the request to be admitted.');
  };
  const first = cpuMicros(admitAll) / TOKENS;
  const known = cpuMicros(() => {
    for (let round = 0; round < ROUNDS; round += 1) admitAll();
  });
  const firewall = new Firewall(await compileInTurns(await readRuleTexts()));
  const compared = await compareFirewalls(scope, firewall);
  return [
    figure('admit, a token seen before', known / (ROUNDS * TOKENS), 20),
    figure('admit, a new token', first, 40),
    figure('firewall, a harmless request', inspect(firewall, '/some/unknown/path/file.html?page=2&q=a+film'), null),
    figure('firewall, an attack', inspect(firewall, '/?id=1%20union%20select%20a,b%20from%20users'), null),
    ...compared,
  ];
});

function figure(name: string, ours: number, bar: number | null): Measurement {
  return { name, ours, baseline: null, bar, unit: 'cpu-us' };
}

function requestOf(policy: AdmissionRequest['policy'], index: number): AdmissionRequest {
  const folder = `/00000000-0000-7000-8000-${String(index).padStart(12, '0')}/`;
  const token = signFolder({ key: 'the security key', folder, expiresSec: 2_000_000_000, address: null });
  const address = `198.51.${100 + Math.floor(index / 250)}.${index % 250}`;
  return {
    method: 'GET',
    address: readAddress(`/vz-1/${token}${folder}r/00000000-0000-7000-8000-000000000002/0.m4s`, '/vz-1'),
    purpose: 'media',
    playback: 'none',
    policy,
    client: { address, key: address, country: 'DE', asn: '64500' },
    page: 'owner.example',
    inspected: null,
    nowMs: Date.now(),
  };
}

function inspect(firewall: Firewall, url: string): number {
  const agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36';
  const rawHeaders = ['Host', 'edge.example', 'User-Agent', agent, 'Accept', '*/*', 'Accept-Encoding', 'gzip'];
  const request = { method: 'GET', url, httpVersion: '1.1', rawHeaders, address: '192.0.2.1' };
  const waf = readWafSettings({});
  const run = () => {
    for (let count = 0; count < INSPECTIONS; count += 1) judgeInspection(firewall, request, waf);
  };
  run();
  return cpuMicros(run) / INSPECTIONS;
}

function cpuMicros(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
