import { Type } from 'typebox';
import { type PullZoneName, parsePullZoneName } from '../../catalog/pull-zones/pull-zone-name.ts';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import { readAddress } from '../../catalog/pull-zones/url-token.ts';
import type { ZonePolicy } from '../../catalog/pull-zones/zone-policy.ts';
import type { AdmissionRequest } from '../../catalog/shield/admission/admit.ts';
import { compilePolicy } from '../../catalog/shield/admission/compiled-policy.ts';
import { describeSigned, explainStages, findNearMiss } from '../../catalog/shield/admission/explain.ts';
import { HostRules, hostOf } from '../../catalog/shield/admission/host-rules.ts';
import { isKnownQuery } from '../../catalog/shield/admission/known-query.ts';
import { KnownTokens } from '../../catalog/shield/admission/known-tokens.ts';
import { OpenAnswers } from '../../catalog/shield/admission/open-answers.ts';
import { CLIENT_RATE, RateBuckets } from '../../catalog/shield/admission/rate-buckets.ts';
import type { FirewallSource } from '../../catalog/shield/firewall/open-firewall.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { ExplainRequestModel, ExplanationModel } from '../models/explanation.ts';
import { idParam } from '../read-params.ts';

type Deps = {
  pullZones: PullZoneStore;
  loadPolicy(name: PullZoneName): Promise<ZonePolicy | null>;
  ownHosts: readonly string[];
  firewall: FirewallSource;
};

/** Judges a request as the edge would, without counting or recording it, and says what each rule found. */
export const explainRequest = defineOperation({
  name: 'explainRequest',
  method: 'POST',
  path: '/pullzone/{id}/explain',
  description:
    'Judges a request as the edge would, without counting it: the verdict of each rule, and the usual mistake in ' +
    'its token.',
  auth: 'account-key',
  params: Type.Object({ id: idParam('pull zone') }),
  body: ExplainRequestModel,
  answer: ExplanationModel,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id }, body }, { pullZones, loadPolicy, ownHosts, firewall }: Deps) {
    const view = await pullZones.load(id);
    const name = parsePullZoneName(view.name);
    const zone = name === null ? null : await loadPolicy(name);
    if (zone === null) throw new Refused('not-found', `There is no pull zone ${id}. Check the id.`);
    const request = toRequest(body, zone);
    if (request.inspected !== null) await firewall.ready();
    const context = {
      ownHosts: new HostRules(ownHosts),
      tokens: new KnownTokens(),
      rates: new RateBuckets(),
      clientRate: CLIENT_RATE,
      openAnswers: new OpenAnswers(),
      firewall,
      dry: true,
    };
    const stages = explainStages(request, context);
    const deciding = stages.find(({ verdict }) => verdict === 'block');
    const bearer = { address: request.client.address, nowMs: request.nowMs };
    return {
      Verdict: deciding === undefined ? 'Admitted' : 'Blocked',
      RuleId: deciding?.hit?.rule.id ?? null,
      Stages: stages.map(({ stage, verdict, hit }) => ({
        Stage: stage,
        Verdict: verdict,
        RuleId: hit?.rule.id ?? null,
        Expected: hit?.expected ?? null,
        Came: hit?.came ?? null,
      })),
      SignedString: describeSigned(request.address, zone, bearer.address),
      NearMiss: findNearMiss(request.address, zone, bearer),
    };
  },
});

function toRequest(
  { Url, Method, RemoteIp, Country, Headers, At }: ExplainRequestModel,
  zone: ZonePolicy,
): AdmissionRequest {
  const target = Url.replace(/^https?:\/\/[^/]*/i, '') || '/';
  const prefix = `/${zone.name}`;
  const address = readAddress(target, prefix);
  const headers = new Map(Object.entries(Headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const nowMs = At == null ? Date.now() : Date.parse(At);
  if (Number.isNaN(nowMs))
    throw new Refused('invalid', `Expected At as a date and time, got "${At}". Correct it.`, { field: 'At' });
  const ip = RemoteIp ?? '';
  const referrer = headers.get('referer') ?? headers.get('origin');
  // As at the edge: what has no video in its path, or an unknown parameter.
  const isInspected = !/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.test(address.path) || !isKnownQuery(address.query);
  const inspected = {
    method: Method ?? 'GET',
    url: target,
    httpVersion: '1.1',
    rawHeaders: [...headers].flat(),
    address: ip,
  };
  return {
    method: Method ?? 'GET',
    address,
    purpose: /^\/(embed|play)\//.test(address.path) ? 'player' : 'media',
    policy: compilePolicy(zone),
    client: { address: ip, key: ip, country: (Country ?? '').toUpperCase(), asn: '' },
    page: referrer === undefined ? null : hostOf(referrer),
    inspected: isInspected ? { request: inspected, waf: zone.settings.waf } : null,
    nowMs,
  };
}
