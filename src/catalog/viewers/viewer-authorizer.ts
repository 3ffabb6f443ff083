import { createHash } from 'node:crypto';
import { clientKey } from '../../lib/client-key.ts';
import { createGuardedFetch } from '../../lib/outbound/guarded-fetch.ts';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { remember } from '../../lib/remember.ts';
import { createRemoteKeys, type RemoteKeys } from '../../lib/remote-keys.ts';
import type { ViewerAccess } from '../libraries/viewer-access.ts';
import { askHook, type HookAnswer } from './ask-hook.ts';
import { verifyViewerToken } from './verify-viewer-token.ts';
import { shortReason, type ViewerFacts, type ViewerVerdict } from './viewer-verdict.ts';

/** Maximum number of verdicts in memory. */
const MAX_VERDICTS = 20_000;
/** Maximum number of open questions about viewers of one library, and of all libraries. */
const MAX_ASKING_OF_LIBRARY = 32;
const MAX_ASKING = 256;
/** Maximum number of open questions about viewers of one client (see `clientKey`). */
const MAX_ASKING_OF_CLIENT = 16;
/** Missing responses in a row after which an endpoint counts as dead. */
const MAX_FAILURES = 3;
/** Time for which a dead endpoint is not asked, in ms. Then one viewer's question is a test. */
const DEAD_MS = 10_000;
/** Maximum time for which a viewer is admitted without an answer, in seconds. */
const FAIL_OPEN_SEC = 300;
const MAX_ENDPOINTS = 500;
const MAX_JWKS_BYTES = 256 * 1024;
const JWKS_TIMEOUT_MS = 5_000;
/** Time for which published keys are used although they cannot be loaded again, in ms. */
const OLD_KEYS_MS = 3_600_000;

type Asked = Exclude<ViewerAccess, { mode: 'off' | 'incomplete' }>;
type Incomplete = Extract<ViewerAccess, { mode: 'incomplete' }>;

type Deps = { outbound: Pick<Outbound, 'request'> };
/** A verdict, and whether the owner gave it, so that it may be kept. */
type Found = { verdict: ViewerVerdict; isOfOwner: boolean };

/** Consecutive missing responses of an endpoint, and the time until which it is not asked. */
type Circuit = { failures: number; deadUntilMs: number };
const ALIVE: Circuit = { failures: 0, deadUntilMs: 0 };

/**
 * Decides which viewers may watch, with the endpoint or the issuer of a library's owner. Caches verdicts, has at most
 * one open request about the same viewer and video, and stops asking a dead endpoint for a while, so that not every
 * viewer waits.
 */
export class ViewerAuthorizer {
  readonly #deps: Deps;
  readonly #keys: RemoteKeys;
  readonly #known = new Map<string, Exclude<ViewerVerdict, { kind: 'unchecked' }>>();
  readonly #asking = new Map<string, Promise<Found>>();
  /** Open questions by library, and by library and client. */
  readonly #askingOf = new Map<string, number>();
  /** By library and URL, because the endpoint may respond to one library only. */
  readonly #circuits = new Map<string, Circuit>();

  constructor(deps: Deps) {
    this.#deps = deps;
    const fetch = createGuardedFetch(
      { ...deps.outbound, close: async () => undefined },
      { maxBytes: MAX_JWKS_BYTES, timeoutMs: JWKS_TIMEOUT_MS },
    );
    this.#keys = createRemoteKeys(fetch, OLD_KEYS_MS);
  }

  /** Returns whether a viewer may watch, as decided by the owner of the library. */
  async judge(access: Asked | Incomplete, viewer: ViewerFacts): Promise<ViewerVerdict> {
    if (access.mode === 'incomplete') return toUnchecked(access);
    const key = keyOf(access, viewer);
    const known = this.#known.get(key);
    if (known !== undefined && known.untilMs > Date.now()) return known;
    const open = this.#asking.get(key);
    if (open !== undefined) return (await open).verdict;
    // Not a failure of the endpoint: viewers who cause many questions must not open a library that fails open.
    if (!this.#mayAsk(viewer)) return TOO_MANY;
    for (const bucket of bucketsOf(viewer)) this.#count(bucket, 1);
    const asking = this.#ask(access, viewer).finally(() => {
      this.#asking.delete(key);
      for (const bucket of bucketsOf(viewer)) this.#count(bucket, -1);
    });
    this.#asking.set(key, asking);
    const { verdict, isOfOwner } = await asking;
    if (verdict.kind !== 'unchecked' && isOfOwner) remember(this.#known, [key, verdict], MAX_VERDICTS);
    return verdict;
  }

  /** Asks about a viewer to test the settings. Neither uses nor keeps verdicts. */
  async test(access: Asked | Incomplete, viewer: ViewerFacts): Promise<ViewerVerdict> {
    if (access.mode === 'incomplete') return toUnchecked(access);
    try {
      const found = await this.#decide(access, viewer);
      return found.kind === 'failed' ? { kind: 'unchecked', reason: found.reason } : found;
    } catch (error) {
      return { kind: 'unchecked', reason: reasonOf(error) };
    }
  }

  #mayAsk(viewer: ViewerFacts): boolean {
    const [ofLibrary = 0, ofClient = 0] = bucketsOf(viewer).map((bucket) => this.#askingOf.get(bucket) ?? 0);
    const isFree = ofLibrary < MAX_ASKING_OF_LIBRARY && ofClient < MAX_ASKING_OF_CLIENT;
    return isFree && this.#asking.size < MAX_ASKING;
  }

  #count(bucket: string, change: number): void {
    const count = (this.#askingOf.get(bucket) ?? 0) + change;
    if (count === 0) this.#askingOf.delete(bucket);
    else this.#askingOf.set(bucket, count);
  }

  async #ask(access: Asked, viewer: ViewerFacts): Promise<Found> {
    // Keys of an issuer have their own pause after a failure (see `RemoteKeys`).
    const circuit = access.mode === 'hook' ? this.#circuitOf(`${viewer.libraryId}|${access.url}`) : null;
    const nowMs = performance.now();
    if (circuit !== null && nowMs < circuit.deadUntilMs) {
      return onFailure(access, 'the endpoint did not respond to earlier requests');
    }
    // No other question is sent until this one has been answered.
    if (circuit !== null && circuit.failures >= MAX_FAILURES) circuit.deadUntilMs = nowMs + DEAD_MS;
    try {
      const found = await this.#decide(access, viewer);
      // An endpoint that responds is not dead. One viewer may cause its faults, which must not concern the others.
      if (circuit !== null) Object.assign(circuit, ALIVE);
      return found.kind === 'failed' ? onFailure(access, found.reason) : { verdict: found, isOfOwner: true };
    } catch (error) {
      if (circuit !== null) {
        circuit.failures += 1;
        if (circuit.failures >= MAX_FAILURES) circuit.deadUntilMs = performance.now() + DEAD_MS;
      }
      return onFailure(access, reasonOf(error));
    }
  }

  /** Returns the circuit of an endpoint. Simultaneous questions share it. */
  #circuitOf(place: string): Circuit {
    const circuit = this.#circuits.get(place) ?? { ...ALIVE };
    remember(this.#circuits, [place, circuit], MAX_ENDPOINTS);
    return circuit;
  }

  async #decide(access: Asked, viewer: ViewerFacts): Promise<HookAnswer> {
    return access.mode === 'hook'
      ? await askHook(access, viewer, this.#deps.outbound)
      : await verifyViewerToken(access, viewer, this.#keys);
  }
}

function bucketsOf({ libraryId, address }: ViewerFacts): string[] {
  return [`${libraryId}`, `${libraryId}|${clientKey(address)}`];
}

const TOO_MANY: ViewerVerdict = { kind: 'unchecked', reason: 'too many questions about viewers at the same time' };

function toUnchecked({ missing }: Incomplete): ViewerVerdict {
  return { kind: 'unchecked', reason: `the settings of viewer access lack ${missing}` };
}

/** Returns the verdict if the endpoint does not respond. */
function onFailure(access: Asked, reason: string): Found {
  if (access.mode === 'jwt' || !access.failOpen) return { verdict: { kind: 'unchecked', reason }, isOfOwner: false };
  const untilMs = Date.now() + Math.min(access.cacheSec, FAIL_OPEN_SEC) * 1000;
  return { verdict: { kind: 'allowed', reason: `allowed without an answer: ${reason}`, untilMs }, isOfOwner: false };
}

function reasonOf(error: unknown): string {
  return shortReason(error instanceof Error ? error.message : String(error));
}

/** Returns the key of a verdict. It depends on the settings, so that changed ones apply immediately. */
function keyOf(access: ViewerAccess, { libraryId, mediaId, collectionId, token, ...sender }: ViewerFacts): string {
  const { address, userAgent, referrer } = sender;
  const viewer = access.mode === 'hook' ? [token, address, userAgent, referrer] : [token];
  return createHash('sha256')
    .update(JSON.stringify([access, libraryId, mediaId, collectionId, ...viewer]))
    .digest('base64');
}
