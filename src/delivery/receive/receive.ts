import type { IncomingMessage } from 'node:http';
import type { WafSettings } from '../../catalog/libraries/library-settings.ts';
import type { Share } from '../../catalog/shares/share.ts';
import type { AdmissionRequest, Client } from '../../catalog/shield/admission/admit.ts';
import type { CompiledPolicy } from '../../catalog/shield/admission/compiled-policy.ts';
import type { EdgeTarget } from '../../catalog/shield/admission/edge-path.ts';
import { hostOf } from '../../catalog/shield/admission/host-rules.ts';
import type { Inspected } from '../../catalog/shield/admission/judge-firewall.ts';
import {
  needsInspection,
  playbackPartOf,
  purposeOf,
  targetUnderHost,
} from '../../catalog/shield/admission/read-purpose.ts';
import type { Route, Routes } from '../../catalog/shield/admission/route.ts';
import type { FirewallSource } from '../../catalog/shield/firewall/open-firewall.ts';
import { Refused } from '../../lib/refused.ts';
import type { ClientBudgets } from '../clients/client-budgets.ts';
import type { KnownViewers } from '../clients/known-viewers.ts';
import type { KnownClients } from './known-clients.ts';
import type { PolicyReader } from './policy-reader.ts';
import type { ShareReader } from './share-reader.ts';

/** A request with all data that the edge needs to decide on it. */
export type EdgeRequest = AdmissionRequest & {
  message: IncomingMessage;
  target: EdgeTarget | null;
  /** Share in the target of the request, or null. */
  share: Share | null;
};

export type ReceiveDeps = {
  routes: Routes;
  policies: PolicyReader;
  shares: ShareReader;
  clients: KnownClients;
  viewers: KnownViewers;
  budgets: Pick<ClientBudgets<'coldLookups'>, 'take' | 'give'>;
  firewall: FirewallSource;
  /** Firewall settings for requests without a zone. */
  unzoned: { find(): Promise<WafSettings> };
};

/** Parses a request: its sender, zone and target. Decides nothing. */
export async function receive(message: IncomingMessage, deps: ReceiveDeps): Promise<EdgeRequest> {
  const { method = 'GET', url = '/', headers } = message;
  const client = deps.clients.findClient(message);
  const route = deps.routes.read(url, headers.host ?? '');
  const byHost = route.host === null ? null : await findPolicy(route.host, client, deps);
  const share = route.target?.kind === 'share' ? await findShare(route.target.token, client, deps) : null;
  const { policy, target } =
    byHost === null
      ? await byPath({ ...route, share }, client, deps)
      : { policy: byHost, target: targetUnderHost(route, byHost) };
  const purpose = purposeOf(method, target);
  const isInspected = needsInspection(purpose, route.isQueryKnown, headers.range !== undefined);
  return {
    message,
    method,
    address: route.address,
    target,
    // A zone's own host serves only its library.
    share: byHost === null || share?.libraryId === byHost.zone.libraryId ? share : null,
    purpose,
    playback: playbackPartOf(target, isPlaying({ message, client }, policy, deps)),
    policy,
    client,
    // A page that hides its URL in cross-origin requests still sends its origin.
    page: pageOf(headers.referer ?? headers.origin),
    inspected: isInspected ? await readInspected({ message, client }, policy, deps) : null,
    nowMs: Date.now(),
  };
}

function isPlaying(
  { message, client }: Pick<EdgeRequest, 'message' | 'client'>,
  policy: CompiledPolicy | null,
  { viewers }: ReceiveDeps,
): boolean {
  if (policy === null || policy.zone.quota.reached === null) return false;
  return viewers.isPlaying({ libraryId: policy.zone.libraryId, clientKey: client.key, message }, Date.now());
}

async function readInspected(
  { message, client }: Pick<EdgeRequest, 'message' | 'client'>,
  policy: CompiledPolicy | null,
  { firewall, unzoned }: ReceiveDeps,
): Promise<Inspected> {
  const { method = 'GET', url = '/', httpVersion, rawHeaders } = message;
  const waf = policy?.zone.settings.waf ?? (await unzoned.find());
  // The rules are compiled once. Requests that are not inspected do not wait for that.
  if (waf.enabled) await firewall.ready();
  return { request: { method, url, httpVersion, rawHeaders, address: client.address }, waf };
}

async function byPath({ pathZone, target, share }: Route & { share: Share | null }, client: Client, deps: ReceiveDeps) {
  const libraryId = target?.kind === 'player' ? target.libraryId : share?.libraryId;
  if (libraryId !== undefined) {
    return { policy: await findPolicy({ by: 'library', libraryId }, client, deps), target };
  }
  const policy = pathZone === null ? null : await findPolicy({ by: 'name', name: pathZone }, client, deps);
  return { policy, target: target?.kind === 'media' && policy === null ? null : target };
}

async function findShare(token: string, client: Client, { shares, budgets }: ReceiveDeps): Promise<Share | null> {
  const known = shares.peek(token);
  if (known !== null) return known;
  return shares.isLoading(token) ? shares.find(token) : lookUp(client, budgets, () => shares.find(token));
}

/** Cache misses query the database. Each client has a budget for them. */
async function findPolicy(
  ref: Parameters<PolicyReader['findPolicy']>[0],
  client: Client,
  { policies, budgets }: ReceiveDeps,
): Promise<CompiledPolicy | null> {
  const known = policies.peek(ref);
  if (known !== null) return known;
  return policies.isLoading(ref) ? policies.findPolicy(ref) : lookUp(client, budgets, () => policies.findPolicy(ref));
}

/** Runs a lookup within a client's limit of concurrent lookups. Throws `Refused` (`unavailable`) above the limit. */
export async function lookUp<Found>(
  client: Client,
  budgets: ReceiveDeps['budgets'],
  find: () => Promise<Found>,
): Promise<Found> {
  if (!budgets.take(client.key, 'coldLookups')) {
    throw new Refused('unavailable', 'Too many lookups for your address are in progress. Try again.');
  }
  try {
    return await find();
  } finally {
    budgets.give(client.key, 'coldLookups');
  }
}

function pageOf(header: string | undefined): string | null {
  return header === undefined ? null : hostOf(header);
}
