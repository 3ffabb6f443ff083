import { describeToken, isEmbedTokenValid } from '../../catalog/libraries/embed-token.ts';
import type { PlayAccess } from '../../catalog/libraries/play-access-store.ts';
import { isReferrerAllowed } from '../../catalog/libraries/referrer.ts';
import type { Guid } from '../../lib/guid.ts';
import { FreshCache } from '../cache/fresh-cache.ts';
import type { EdgeLog } from '../edge-deps.ts';
import type { Problem } from '../http/answer.ts';
import type { PlayRequest } from './play-request.ts';

const TTL_MS = 2_000;
const CACHE_BYTES = 2 ** 20;
const ACCESS_BYTES = 2_000;
const MAX_LOADS = 100;
const MAX_QUOTED = 200;

export type PlayPermitDeps = {
  load(libraryId: number): Promise<PlayAccess | null>;
  /** Where our player lives. The host that a request names is no reason to let it in: its sender chooses it. */
  ownHosts: readonly string[];
  log: EdgeLog;
};

type Asked = { libraryId: number; mediaId: Guid };
type PlayerPage = Asked & { isDirect: boolean };

/**
 * Judges who gets keys: by the referrer rules and the embed token of the library, as they were at most 2 s ago. A
 * path token, once pull zones ask for it, is to be judged here too: it comes with the target of the request.
 */
export class PlayPermits {
  readonly #access: FreshCache<PlayAccess>;
  readonly #ownHosts: readonly string[];

  constructor({ load, ownHosts, log }: PlayPermitDeps) {
    this.#ownHosts = ownHosts;
    this.#access = new FreshCache({
      ttlMs: TTL_MS,
      absentTtlMs: TTL_MS,
      maxBytes: CACHE_BYTES,
      maxLoads: MAX_LOADS,
      load: (key) => load(Number(key)),
      sizeBytes: () => ACCESS_BYTES,
      onLoadError: (error, key) =>
        log.warn({ err: error, libraryId: key }, 'Who may play could not be read; the last known rules hold.'),
    });
  }

  /** Why a request gets no key; null when it may have it. */
  async refusalOf({ libraryId, mediaId }: Asked, request: PlayRequest): Promise<Problem | null> {
    const access = await this.#access.get(String(libraryId));
    if (access === null) return denied('library-gone', 'The library of this video is gone.');
    const referrer = this.#judgeReferrer(access, request);
    if (referrer !== null || access.tokenKeys === null) return referrer;
    const { shown } = request;
    if (isEmbedTokenValid(shown, { mediaId, keys: access.tokenKeys }, Date.now())) return null;
    const message = `This video plays with a token only: expected token and expires in the query, got ${describeToken(shown, Date.now())}.`;
    return denied('token-denied', message);
  }

  /** Whether a request shows a valid embed token, in a library that asks for them. */
  async holdsToken({ libraryId, mediaId }: Asked, { shown }: PlayRequest): Promise<boolean> {
    if (shown.token === '') return false;
    const keys = (await this.#access.get(String(libraryId)))?.tokenKeys ?? null;
    return keys !== null && isEmbedTokenValid(shown, { mediaId, keys }, Date.now());
  }

  /** As `refusalOf`, for the player page. `isDirect`: it is opened by itself, not inside a page of the owner. */
  async refusalOfPlayer({ isDirect, ...asked }: PlayerPage, request: PlayRequest): Promise<Problem | null> {
    const access = await this.#access.get(String(asked.libraryId));
    if (isDirect && access?.rules.allowDirectPlay === false) {
      return denied('direct-play-denied', 'The videos of this library play inside the pages of their owner only.');
    }
    return this.refusalOf(asked, request);
  }

  /** As `refusalOf`, for those who have shown their token before. */
  async refusalOfPage({ libraryId }: Asked, request: PlayRequest): Promise<Problem | null> {
    const access = await this.#access.get(String(libraryId));
    if (access === null) return denied('library-gone', 'The library of this video is gone.');
    return this.#judgeReferrer(access, request);
  }

  #judgeReferrer({ rules }: PlayAccess, { referrer }: PlayRequest): Problem | null {
    if (isReferrerAllowed(referrer, rules, this.#ownHosts)) return null;
    const came = referrer === null ? 'none' : `"${referrer.slice(0, MAX_QUOTED)}"`;
    return denied('referrer-denied', `Expected a page that the library's referrer rules let in, got ${came}.`);
  }
}

function denied(code: string, message: string): Problem {
  return { status: 403, code, message };
}
