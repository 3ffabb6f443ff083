import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import { readEmbedToken, readParameters } from '../../catalog/libraries/embed-token.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import { createPublicationStore } from '../../catalog/publications/publication-store.ts';
import { parsePullZoneName } from '../../catalog/pull-zones/pull-zone-name.ts';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import type { ZonePolicy } from '../../catalog/pull-zones/zone-policy.ts';
import type { ZoneRef } from '../../catalog/pull-zones/zone-policy-store.ts';
import type { Share } from '../../catalog/shares/share.ts';
import { findShare, findShareById } from '../../catalog/shares/share-store.ts';
import type { AdmissionRequest, Client } from '../../catalog/shield/admission/admit.ts';
import { type CompiledPolicy, compilePolicy } from '../../catalog/shield/admission/compiled-policy.ts';
import type { EdgeTarget } from '../../catalog/shield/admission/edge-path.ts';
import {
  describeSigned,
  explainStages,
  findNearMiss,
  type StageVerdict,
} from '../../catalog/shield/admission/explain.ts';
import { HostRules, hostOf } from '../../catalog/shield/admission/host-rules.ts';
import {
  judgePlayback,
  type PlaybackRequest,
  policyOfMedia,
  type Viewer,
} from '../../catalog/shield/admission/judge-playback.ts';
import { KnownTokens } from '../../catalog/shield/admission/known-tokens.ts';
import { OpenAnswers } from '../../catalog/shield/admission/open-answers.ts';
import { CLIENT_RATE, RateBuckets } from '../../catalog/shield/admission/rate-buckets.ts';
import {
  needsInspection,
  playbackPartOf,
  purposeOf,
  targetUnderHost,
} from '../../catalog/shield/admission/read-purpose.ts';
import { type Route, readRoute } from '../../catalog/shield/admission/route.ts';
import type { FirewallSource } from '../../catalog/shield/firewall/open-firewall.ts';
import type { Hit } from '../../catalog/shield/hit.ts';
import type { ShieldSettingsStore } from '../../catalog/shield/shield-settings-store.ts';
import { admitViewer, readViewerToken } from '../../catalog/viewers/admit-viewer.ts';
import type { ViewerAuthorizer } from '../../catalog/viewers/viewer-authorizer.ts';
import { clientAddress } from '../../lib/client-address.ts';
import { clientKey } from '../../lib/client-key.ts';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import type { Place } from '../keyless-guard.ts';
import { ExplainRequestModel, ExplanationModel } from '../models/explanation.ts';
import { idParam } from '../read-params.ts';

type Deps = {
  pullZones: PullZoneStore;
  loadPolicy(ref: ZoneRef): Promise<ZonePolicy | null>;
  place(address: string): Promise<Place>;
  shieldSettings: ShieldSettingsStore;
  ownHosts: readonly string[];
  firewall: FirewallSource;
  viewers: Pick<ViewerAuthorizer, 'judge'>;
  db: Db;
};

/** Evaluates a request as the edge would, without counting or recording it, and returns the verdict of each rule. */
export const explainRequest = defineOperation({
  name: 'explainRequest',
  method: 'POST',
  isRead: true,
  path: '/pullzone/{id}/explain',
  description:
    'Evaluates a request as the edge would, without counting it. Returns the verdict of each rule, and the likely ' +
    'mistake if its token is wrong.',
  auth: 'account-key',
  permission: 'account.manage',
  params: Type.Object({ id: idParam('pull zone') }),
  body: ExplainRequestModel,
  answer: ExplanationModel,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id }, body }, deps: Deps) {
    const { pullZones, loadPolicy, ownHosts, firewall, viewers, db } = deps;
    const view = await pullZones.load(id);
    const name = parsePullZoneName(view.name);
    const zone = name === null ? null : await loadPolicy({ by: 'name', name });
    if (zone === null) throw new Refused('not-found', `Pull zone ${id} not found. Check the id.`);
    const request = await toRequest(body, zone, deps);
    if (request.inspected?.waf.enabled === true) await firewall.ready();
    const context = {
      ownHosts: new HostRules(ownHosts),
      tokens: new KnownTokens(),
      rates: new RateBuckets(),
      clientRate: CLIENT_RATE,
      openAnswers: new OpenAnswers(),
      firewall,
      dry: true,
    };
    const publication = await loadRequested(request, db);
    const playback = await judgeVideo({ ...request, publication }, body, { db, viewers, ownHosts: context.ownHosts });
    const stages = [...explainStages(withMediaPolicy(request, publication), context), playback];
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
        Came: hit?.received ?? null,
      })),
      SignedString: describeSigned(request.address, zone, bearer.address),
      NearMiss: findNearMiss(request.address, zone, bearer),
    };
  },
});

type ExplainedRequest = AdmissionRequest & { target: EdgeTarget | null; share: Share | null; url: string };

/** Loads the video or stream that a request names. Returns null if it names none. */
async function loadRequested({ target, share, policy, url }: ExplainedRequest, db: Db): Promise<Publication | null> {
  const isOfVideo = target?.kind === 'player' || target?.kind === 'media';
  const shared = share === null ? undefined : mediaOf(share, url);
  const mediaId = isOfVideo ? target.mediaId : shared;
  if (mediaId === undefined || policy === null) return null;
  return createPublicationStore(db).load({ libraryId: policy.zone.libraryId, mediaId }, null);
}

/** The token of a private video is checked when the video is known, by the same rules as that of a zone with tokens. */
function withMediaPolicy(request: ExplainedRequest, publication: Publication | null): ExplainedRequest {
  const { method, target } = request;
  const isLicence = target?.kind === 'media' && target.file.kind === 'licence';
  // For other methods, the edge does not look up the video.
  const isJudged = ['GET', 'HEAD'].includes(method) || (method === 'POST' && isLicence);
  if (publication === null || request.policy === null || !isJudged) return request;
  return { ...request, policy: policyOfMedia(request.policy, publication) };
}

type JudgedRequest = ExplainedRequest & { publication: Publication | null };

/** Returns the verdict of the checks that the edge makes after admission, because they depend on the video. */
async function judgeVideo(
  { method, target, publication, policy, page, url, client, nowMs }: JudgedRequest,
  { Headers = {} }: ExplainRequestModel,
  { db, viewers, ownHosts }: Pick<Deps, 'db' | 'viewers'> & { ownHosts: HostRules },
): Promise<StageVerdict> {
  const viewer = { page, shown: readEmbedToken(readParameters(url)) };
  const isOpenedByItself = Object.entries(Headers).some(
    ([name, value]) => name.toLowerCase() === 'sec-fetch-dest' && value === 'document',
  );
  const video = publication && { ...publication, usesSessions: publication.settings.drm === 'basic' };
  const { shareId } = viewer.shown;
  const tokenShare = shareId === undefined ? null : await findShareById(db, shareId);
  const judged = { method, target, policy, video, tokenShare, isOpenedByItself, nowMs };
  const admitted = await admitPageViewer({ ...judged, viewer }, { headers: Headers, url, client }, viewers);
  const hit = 'hit' in admitted ? admitted.hit : judgePlayback({ ...judged, viewer: admitted }, ownHosts);
  return { stage: 'playback', verdict: hit === null ? 'allow' : 'block', hit };
}

type Sent = { headers: Readonly<Record<string, string>>; url: string; client: Client };

/** Asks the owner about the viewer of a player page, as the edge does. */
async function admitPageViewer(
  { target, policy, video, viewer, nowMs }: PlaybackRequest,
  { headers, url, client }: Sent,
  viewers: Deps['viewers'],
): Promise<Viewer | { hit: Hit }> {
  if (target?.kind !== 'player' || policy === null || video === null) return viewer;
  const header = (wanted: string) => Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
  const token = readViewerToken(readParameters(url), header('authorization'));
  const browser = { userAgent: header('user-agent') ?? '', referrer: header('referer') ?? null };
  const { mediaId, collectionId } = video;
  const asked = { token, address: client.address, ...browser, mediaId, collectionId, shown: viewer.shown };
  const found = await admitViewer(policy, asked, { viewers, nowMs });
  return 'hit' in found ? { hit: found.hit } : { ...viewer, shown: found.shown };
}

/** Returns the video that the URL of a share page shows; undefined if it names none of a collection. */
function mediaOf({ target }: Share, url: string): Guid | undefined {
  if (target.kind === 'video') return target.mediaId;
  return readGuid(readParameters(url).get('video') ?? '') ?? undefined;
}

const ORIGIN = /^https?:\/\/([^/?#]*)/i;

/** Parses the request as the edge does. A URL without a host gets the host of the zone. */
async function toRequest(
  body: ExplainRequestModel,
  zone: ZonePolicy,
  { db, loadPolicy, ownHosts, place, shieldSettings }: Deps,
): Promise<ExplainedRequest> {
  const { Url, Country, Headers, At } = body;
  const nowMs = At == null ? Date.now() : Date.parse(At);
  if (Number.isNaN(nowMs))
    throw new Refused('invalid', `Expected At as a date and time, got "${At}". Correct the value.`, { field: 'At' });
  const method = body.Method?.toUpperCase() ?? 'GET';
  const url = Url.replace(ORIGIN, '')
    .replace(/^(?!\/)/, '/')
    .replace(/#.*$/s, '');
  const headers = new Map(Object.entries(Headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const [, host] = ORIGIN.exec(Url) ?? [];
  const route = readRoute(url, headers.get('host') ?? host ?? '', new HostRules(ownHosts));
  const share = route.target?.kind === 'share' ? await findShare(db, route.target.token) : null;
  const { policy, target } = await findZone({ ...route, share }, host === undefined ? zone : null, loadPolicy);
  const purpose = purposeOf(method, target);
  const address = canonicalAddress(body.RemoteIp ?? '');
  const { country: located, asn } = await place(address);
  const country = Country ?? located;
  const referrer = headers.get('referer') ?? headers.get('origin');
  // Clients of HTTP/1.1 always send a Host header.
  if (!headers.has('host')) headers.set('host', host ?? zone.name);
  const inspected = { method, url, httpVersion: '1.1', rawHeaders: [...headers].flat(), address };
  const isInspected = needsInspection(purpose, route.isQueryKnown, headers.has('range'));
  return {
    method,
    target,
    share: share?.libraryId === policy?.zone.libraryId ? share : null,
    url,
    address: route.address,
    purpose,
    playback: playbackPartOf(target, false),
    policy,
    client: { address, key: clientKey(address), country: country.toUpperCase(), asn },
    page: referrer === undefined ? null : hostOf(referrer),
    inspected: isInspected
      ? { request: inspected, waf: policy?.zone.settings.waf ?? (await shieldSettings.loadUnzoned()) }
      : null,
    nowMs,
  };
}

/** Returns the policy that the edge applies to a request (null if no zone matches), and the target of its URL. */
async function findZone(
  route: Route & { share: Share | null },
  ownHost: ZonePolicy | null,
  loadPolicy: Deps['loadPolicy'],
): Promise<{ policy: CompiledPolicy | null; target: EdgeTarget | null }> {
  const find = async (ref: ZoneRef) => {
    const zone = await loadPolicy(ref);
    return zone === null ? null : compilePolicy(zone);
  };
  const named = route.host === null ? null : await find(route.host);
  const byHost = named ?? (ownHost === null || route.pathZone !== null ? null : compilePolicy(ownHost));
  if (byHost !== null) return { policy: byHost, target: targetUnderHost(route, byHost) };
  const { target, pathZone, share } = route;
  const libraryId = target?.kind === 'player' ? target.libraryId : share?.libraryId;
  if (libraryId !== undefined) return { policy: await find({ by: 'library', libraryId }), target };
  const policy = pathZone === null ? null : await find({ by: 'name', name: pathZone });
  return { policy, target: target?.kind === 'media' && policy === null ? null : target };
}

/** Returns an IP address in the notation of the edge. Other text is returned unchanged. */
function canonicalAddress(text: string): string {
  return clientAddress({ remoteAddress: text, forwardedFor: undefined }, { has: () => false }) || text;
}
