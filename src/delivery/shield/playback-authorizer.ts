import { type Share, shareEndSec } from '../../catalog/shares/share.ts';
import type { CompiledPolicy } from '../../catalog/shield/admission/compiled-policy.ts';
import { type HostRules, hostOf } from '../../catalog/shield/admission/host-rules.ts';
import {
  holdsEmbedToken,
  type JudgedVideo,
  judgeDirectPlay,
  judgeEmbedToken,
  judgePage,
  judgeShareToken,
  policyOfMedia,
} from '../../catalog/shield/admission/judge-playback.ts';
import type { Hit } from '../../catalog/shield/hit.ts';
import type { Guid } from '../../lib/guid.ts';
import { type Problem, toProblem } from '../http/answer.ts';
import type { PlayRequest } from './play-request.ts';

const MAX_QUOTED_CHARS = 200;

export type PlaybackAuthorizerDeps = {
  /** Returns the policy of a library's pull zone, or null if the library was deleted. */
  findPolicy(libraryId: number): Promise<CompiledPolicy | null>;
  /** Returns the share with an id, at most 2 s old, or null if it was deleted. */
  findShare(id: Guid): Promise<Share | null>;
  /** Hosts of our player pages. The Host header of a request does not grant access, because the sender chooses it. */
  ownHosts: HostRules;
};

/** The requested media. `collectionId` is null if it is in no collection. */
type Requested = JudgedVideo & { libraryId: number };
type PlayerPage = Requested & { isDirect: boolean };

/**
 * Decides who gets player pages and keys, by the referrer rules and the embed token of a library. It runs after
 * `admit`, because the decision depends on the video: whether it is protected, and how it is opened.
 */
export class PlaybackAuthorizer {
  readonly #deps: PlaybackAuthorizerDeps;

  constructor(deps: PlaybackAuthorizerDeps) {
    this.#deps = deps;
  }

  /** Returns the reason to refuse a key, or null if the request may have it. */
  async authorize(requested: Requested, request: PlayRequest): Promise<Problem | null> {
    const found = await this.#deps.findPolicy(requested.libraryId);
    if (found === null) return toProblem('library-gone');
    const policy = policyOfMedia(found, requested);
    const referrer = this.#judgeReferrer(policy, request);
    if (referrer !== null) return referrer;
    const nowMs = Date.now();
    const hit =
      judgeEmbedToken(policy, { mediaId: requested.mediaId, shown: request.shown }, nowMs) ??
      (await this.#judgeShare(policy, { requested, request }, nowMs));
    if (hit === null) return null;
    const message = `This video requires a token: expected ${hit.expected}, got ${hit.received}.`;
    return { ...toProblem('token-denied', message), hit };
  }

  /**
   * Returns whether a request has a valid embed token, even if the media needs none. The tokens of share pages exist
   * only for media that need tokens.
   */
  async holdsToken(requested: Requested, request: PlayRequest): Promise<boolean> {
    if (request.shown.token === '') return false;
    const policy = await this.#policyOf(requested);
    const nowMs = Date.now();
    const shown = { mediaId: requested.mediaId, shown: request.shown };
    if (policy === null || !holdsEmbedToken(policy, shown, nowMs)) return false;
    if (!policy.zone.embedTokenRequired && request.shown.shareId !== undefined) return false;
    return (await this.#judgeShare(policy, { requested, request }, nowMs)) === null;
  }

  /**
   * Returns when the share that issued a request's embed token expires, in seconds since 1970. Returns infinity for
   * other tokens.
   */
  async findShareEnd(
    requested: Pick<Requested, 'libraryId' | 'mediaId' | 'visibility'>,
    { shown }: Pick<PlayRequest, 'shown'>,
  ): Promise<number> {
    if (shown.shareId === undefined) return Number.POSITIVE_INFINITY;
    const policy = await this.#policyOf(requested);
    if (policy?.zone.embedTokenRequired !== true) return Number.POSITIVE_INFINITY;
    const { mediaId } = requested;
    if (judgeEmbedToken(policy, { mediaId, shown }, Date.now()) !== null) return Number.POSITIVE_INFINITY;
    const share = await this.#deps.findShare(shown.shareId);
    return share === null ? Number.POSITIVE_INFINITY : shareEndSec(share);
  }

  async #judgeShare(
    policy: CompiledPolicy,
    { requested, request: { shown } }: { requested: JudgedVideo; request: Pick<PlayRequest, 'shown'> },
    nowMs: number,
  ): Promise<Hit | null> {
    if (shown.shareId === undefined || !policy.zone.embedTokenRequired) return null;
    const share = await this.#deps.findShare(shown.shareId);
    const { mediaId, collectionId, visibility } = requested;
    return judgeShareToken(policy, { mediaId, collectionId, visibility, shown, share }, nowMs);
  }

  async #policyOf(requested: Pick<Requested, 'libraryId' | 'visibility'>): Promise<CompiledPolicy | null> {
    const policy = await this.#deps.findPolicy(requested.libraryId);
    return policy === null ? null : policyOfMedia(policy, requested);
  }

  /**
   * Like `authorize`, for the player page. `isDirect`: the page is opened directly and not inside a page of the owner.
   */
  async authorizePlayer(page: PlayerPage, request: PlayRequest): Promise<Problem | null> {
    return (await this.judgePlayerPage(page, request)) ?? this.authorize(page, request);
  }

  /** Returns the reason to refuse a player page whatever the viewer's token is, or null if there is none. */
  async judgePlayerPage({ isDirect, ...requested }: PlayerPage, request: PlayRequest): Promise<Problem | null> {
    const policy = await this.#deps.findPolicy(requested.libraryId);
    const hit = policy === null ? null : judgeDirectPlay(policy, isDirect);
    if (hit !== null) return { ...toProblem('direct-play-denied'), hit };
    return this.authorizePage(requested, request);
  }

  /** Like `authorize`, for viewers whose token was already checked. */
  async authorizePage({ libraryId }: Pick<Requested, 'libraryId'>, request: PlayRequest): Promise<Problem | null> {
    const policy = await this.#deps.findPolicy(libraryId);
    return policy === null ? toProblem('library-gone') : this.#judgeReferrer(policy, request);
  }

  #judgeReferrer(policy: CompiledPolicy, { referrer }: PlayRequest): Problem | null {
    const hit = judgePage(policy, referrer === null ? null : hostOf(referrer), this.#deps.ownHosts);
    if (hit === null) return null;
    const received = referrer === null ? 'none' : `"${referrer.slice(0, MAX_QUOTED_CHARS)}"`;
    return { ...toProblem('referrer-denied', `Expected ${hit.expected}, got ${received}.`), hit };
  }
}
