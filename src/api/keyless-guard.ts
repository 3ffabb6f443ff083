import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Db } from '../catalog/db.ts';
import { judgeFirewall } from '../catalog/shield/admission/judge-firewall.ts';
import { judgeUnreadable } from '../catalog/shield/admission/judge-unreadable.ts';
import { RateBuckets } from '../catalog/shield/admission/rate-buckets.ts';
import { UnzonedWaf } from '../catalog/shield/admission/unzoned-waf.ts';
import { EventRecorder } from '../catalog/shield/events/event-recorder.ts';
import { createShieldEventStore } from '../catalog/shield/events/shield-event-store.ts';
import type { FirewallSource } from '../catalog/shield/firewall/open-firewall.ts';
import type { Hit } from '../catalog/shield/hit.ts';
import { createShieldSettingsStore } from '../catalog/shield/shield-settings-store.ts';
import { clientKey } from '../lib/client-key.ts';
import { logEvent } from '../lib/log/log-event.ts';
import type { ParserError } from '../lib/parser-error.ts';
import { Refused } from '../lib/refused.ts';

/** Country and autonomous system of an IP address. Empty strings if unknown. */
export type Place = { country: string; asn: string };

type Deps = {
  firewall: FirewallSource;
  waf: Pick<UnzonedWaf, 'find'>;
  recorder: Pick<EventRecorder, 'record' | 'recordUnreadable'>;
  place(address: string): Promise<Place>;
};

type GuardParts = Pick<Deps, 'firewall' | 'place'> & { db: Db; serverZone: string };

/** Opens a guard that records to the database. `close` stores the pending records. */
export function openKeylessGuard({ db, firewall, place, serverZone }: GuardParts): {
  guard: KeylessGuard;
  close(): Promise<void>;
} {
  const recorder = new EventRecorder({ store: createShieldEventStore(db), serverZone });
  const report = (err: unknown) => logEvent('inspection.unreadable', { err });
  const waf = new UnzonedWaf(createShieldSettingsStore(db).loadUnzoned, report);
  return { guard: new KeylessGuard({ firewall, waf, recorder, place }), close: () => recorder.close() };
}

/** Refusal by a firewall rule. The response contains the id of the rule. */
export class RefusedByRule extends Refused {
  readonly ruleId: string;
  readonly retryAfterSec: number | null;

  constructor({ rule, expected, received }: Hit, retryAfterSec: number | null) {
    super(retryAfterSec === null ? 'forbidden' : 'busy', `${rule.message}: expected ${expected}, got ${received}.`);
    this.name = 'RefusedByRule';
    this.ruleId = rule.id;
    this.retryAfterSec = retryAfterSec;
  }
}

/** Players send licence requests without a Content-Type. RFC 9110 section 8.3 specifies the type to assume. */
function withType(rawHeaders: string[], headers: IncomingMessage['headers']): string[] {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return hasBody && headers['content-type'] === undefined
    ? [...rawHeaders, 'Content-Type', 'application/octet-stream']
    : rawHeaders;
}

/**
 * Inspects calls without a valid key: their URL and headers, never their bodies. Calls with a key are not inspected,
 * because owners may write anything about their videos.
 */
export class KeylessGuard {
  readonly #deps: Deps;
  readonly #rates = new RateBuckets();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Throws `Refused` (`forbidden`, `busy`) if the firewall blocks the call. Records blocked and logged calls. */
  async check(message: IncomingMessage, address: string): Promise<void> {
    const { firewall, waf: settings } = this.#deps;
    const waf = await settings.find();
    if (!waf.enabled) return;
    await firewall.ready();
    const { method = 'GET', url = '/', httpVersion, rawHeaders } = message;
    const request = { method, url, httpVersion, rawHeaders: withType(rawHeaders, message.headers), address };
    const inspectable = { inspected: { request, waf }, client: { key: address }, nowMs: Date.now(), purpose: 'api' };
    const verdict = judgeFirewall(inspectable, { firewall, rates: this.#rates, dry: false });
    if (verdict.kind === 'log')
      for (const hit of verdict.hits) await this.#record(message, address, { hit, isBlocked: false });
    if (verdict.kind !== 'block') return;
    await this.#record(message, address, { hit: verdict.hit, isBlocked: true });
    throw new RefusedByRule(verdict.hit, verdict.retryAfterSec);
  }

  /** Records a request whose host is ambiguous. */
  async recordHost(message: IncomingMessage, address: string, hit: Hit): Promise<void> {
    await this.#record(message, address, { hit, isBlocked: true });
  }

  /** Records an unreadable request. Behind a proxy, only the proxy's address is known. */
  recordUnreadable(error: ParserError, { remoteAddress }: Pick<Socket, 'remoteAddress'>): void {
    const unreadable = judgeUnreadable(error);
    if (unreadable === null) return;
    const client = { address: remoteAddress ?? '', key: clientKey(remoteAddress), country: '', asn: '' };
    this.#deps.recorder.recordUnreadable(client, unreadable);
  }

  async #record(
    { method = 'GET', url = '/', headers }: IncomingMessage,
    address: string,
    { hit, isBlocked }: { hit: Hit; isBlocked: boolean },
  ): Promise<void> {
    const client = { address, key: address, ...(await this.#deps.place(address)) };
    const recorded = { zoneId: 0, client, anonymises: true, method, url, headers };
    this.#deps.recorder.record(recorded, hit, { status: isBlocked ? 'Blocked' : 'Logged', others: [] });
  }
}
