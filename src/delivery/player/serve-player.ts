import { randomBytes } from 'node:crypto';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { Guid } from '../../lib/guid.ts';
import type { LicenceProxy } from '../../ports/licence-proxy.ts';
import type { EdgeViewing } from '../edge-deps.ts';
import { type Answer, CACHE_NEVER, CACHE_NOTHING, notFound, type Problem } from '../http/answer.ts';
import { type PlayRequest, stateQuery, tokenQuery } from '../shield/play-request.ts';
import type { PlaybackAuthorizer } from '../shield/playback-authorizer.ts';
import { streamOf } from './describe-stream.ts';
import { describeVideo, type Trailer } from './describe-video.ts';
import { type HeadHtml, prepareHeadHtml } from './head-html.ts';
import type { PlayerAssets } from './load-player-assets.ts';
import { type PageHosts, playerHeaders } from './player-headers.ts';
import { writeMissingPage, writePlayerPage, writeRefusedPage } from './write-player-page.ts';

const PAGE = 'text/html; charset=utf-8';
const NONCE_BYTES = 16;
const NOTHING_FOREIGN = { headHtml: null, vastTagUrl: null, offersCast: false };

type PlayerDeps = {
  player: PlayerAssets;
  playback: PlaybackAuthorizer;
  licences: LicenceProxy | null;
  /** Null if this edge serves no live streams. */
  live: { isSilent(mediaId: Guid): boolean | null; videoOf(mediaId: Guid): Guid[] } | null;
  viewing: Pick<EdgeViewing, 'ticketSecret' | 'heatCurve' | 'viewersNow'>;
};
/** `isDirect`: the URL is opened as a top-level page and not in a frame. Never true for the state. */
type Asked = {
  wantsState: boolean;
  isDirect: boolean;
  play: PlayRequest;
  /** Reason why the owner does not admit the viewer, or null. */
  refusal: Problem | null;
  /** Token that grants access to the video's folder, or null if the zone requires none. */
  folderToken: string | null;
  trailer: Trailer | null;
};

/**
 * Serves the player page of a video, or the small state that an open page polls. Viewers who may not have the keys of a
 * protected video do not get a page either, because the page itself is an allowed referrer.
 */
export async function servePlayer(publication: Publication | null, asked: Asked, deps: PlayerDeps): Promise<Answer> {
  const assets = deps.player;
  if (publication === null) {
    if (asked.wantsState) return notFound('unknown-video');
    return page(404, NOTHING_FOREIGN, (nonce) => writeMissingPage(asked.play.languages, { assets, nonce }));
  }
  const { libraryId, mediaId, collectionId, visibility, settings } = publication;
  const { player } = settings;
  const opened = { libraryId, mediaId, collectionId, visibility, isDirect: asked.isDirect };
  const refusal = asked.refusal ?? (await deps.playback.authorizePlayer(opened, asked.play));
  if (refusal !== null) {
    if (asked.wantsState) return { kind: 'problem', problem: refusal };
    const lacksToken = asked.play.shown.token === '';
    return refusedPage(refusal, { uiLanguage: player.uiLanguage, lacksToken, assets });
  }
  const { licences, viewing } = deps;
  const [heat, viewers] = await Promise.all([
    (asked.play.showsHeat ?? player.showHeatmap) ? viewing.heatCurve({ libraryId, mediaId }) : null,
    streamOf(publication)?.state === 'running' ? viewing.viewersNow({ libraryId, mediaId }) : null,
  ]);
  const view = {
    query: tokenQuery(asked.play),
    licences,
    folderToken: asked.folderToken,
    mayPreview: await deps.playback.holdsToken(opened, asked.play),
    trailer: asked.trailer,
    ticketSecret: viewing.ticketSecret,
    // Each page gets a new ticket. If a ticket in the URL were used, all viewers of that URL would count as one.
    ticket: asked.wantsState ? asked.play.ticket : '',
    heat,
    isSilent: deps.live?.isSilent(mediaId) ?? null,
    liveVideo: deps.live?.videoOf(mediaId) ?? [],
    viewers,
  };
  if (!asked.wantsState) {
    const opening = { headHtml: player.customHtml, vastTagUrl: player.vastTagUrl, offersCast: asked.play.offersCast };
    const { preloads, previewLanguage } = asked.play;
    const uiLanguage = previewLanguage || player.uiLanguage;
    const writing = { assets, uiLanguage, stateQuery: stateQuery(asked.play), preloads };
    const shown = page(200, opening, (nonce, head) => writePlayerPage(publication, view, { ...writing, nonce, head }));
    return visibility === 'public' ? shown : { ...shown, headers: { ...shown.headers, 'X-Robots-Tag': 'noindex' } };
  }
  return {
    kind: 'bytes',
    bytes: Buffer.from(JSON.stringify(describeVideo(publication, view))),
    contentType: 'application/json; charset=utf-8',
    cacheControl: CACHE_NEVER,
    etag: null,
  };
}

/** Returns a page that explains why the viewer may not play. `lacksToken`: the request has no token at all. */
export function refusedPage(
  { code, hit, status }: Problem,
  { uiLanguage, lacksToken, assets }: { uiLanguage: string; lacksToken: boolean; assets: PlayerAssets },
): BytesAnswer {
  const refused = { code, lacksToken, uiLanguage };
  const shown = page(status === 503 ? 503 : 403, NOTHING_FOREIGN, (nonce) =>
    writeRefusedPage(refused, { assets, nonce }),
  );
  return hit === undefined ? shown : { ...shown, hit };
}

type BytesAnswer = Extract<Answer, { kind: 'bytes' }>;
/** Head HTML of a page, and the other hosts to which it may connect. */
type Opening = Omit<PageHosts, 'named'> & { headHtml: string | null };
type Write = (nonce: string, head: HeadHtml) => Buffer;

function page(status: 200 | 403 | 404 | 503, { headHtml, ...hosts }: Opening, write: Write): BytesAnswer {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const head = prepareHeadHtml(headHtml, nonce);
  return {
    kind: 'bytes',
    bytes: write(nonce, head),
    status,
    contentType: PAGE,
    cacheControl: CACHE_NOTHING,
    etag: null,
    headers: playerHeaders(nonce, { named: head.hosts, ...hosts }),
  };
}
