import { newGuid } from '../../../lib/guid.ts';
import { logEvent } from '../../../lib/log/log-event.ts';
import { metrics } from '../../../lib/metrics/metrics.ts';
import type { Client } from '../admission/admit.ts';
import type { Unreadable } from '../admission/judge-unreadable.ts';
import type { Hit } from '../hit.ts';
import { redactUrl } from '../redact-url.ts';
import { EventRing, type OpenEvent } from './event-ring.ts';
import {
  anonymise,
  EVENT_LOG_DAYS,
  type EventStatus,
  matchOf,
  type ShieldEvent,
  shownHeaders,
} from './shield-event.ts';
import type { ShieldEventStore } from './shield-event-store.ts';

/** Recorded facts of a request, if they could be parsed. */
export type Recorded = {
  zoneId: number;
  client: Client;
  anonymises: boolean;
  method: string;
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

const FLUSH_MS = 250;
const BATCH_EVENTS = 500;
const HOUR_MS = 3_600_000;

type Recording = { status: EventStatus; others: readonly Hit[]; atMs: number };

type Deps = { store: ShieldEventStore; serverZone: string };

/**
 * Writes the event log in batches, one every 250 ms. Nothing else in this process writes to the log. It is called only
 * for requests that matched a rule, so other requests cost nothing.
 */
export class EventRecorder {
  readonly #deps: Deps;
  readonly #ring = new EventRing();
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void> | null = null;
  #droppedBefore = 0;
  #cleanedAtMs = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#timer = setInterval(() => this.#flush(), FLUSH_MS);
    this.#timer.unref();
  }

  /** Records a request that a rule matched; `others` are the rules that matched in addition to the deciding one. */
  record(request: Recorded, hit: Hit, { status, others }: { status: EventStatus; others: readonly Hit[] }): void {
    if (status === 'Blocked') metrics.edgeRefusals.inc({ rule: hit.rule.id });
    const atMs = Date.now();
    const make = () => this.#make(request, hit, { status, others, atMs });
    this.#ring.add({ client: request.client.key, zoneId: request.zoneId, ruleId: hit.rule.id, atMs, make });
  }

  /** Records an unparsable request, without a zone. */
  recordUnreadable(client: Client, { rule, code, method, url }: Unreadable): void {
    const request = { zoneId: 0, client, anonymises: true, method, url, headers: {} };
    this.record(request, { rule, expected: 'an HTTP/1.1 request', received: code }, { status: 'Blocked', others: [] });
  }

  /** Stores the waiting events, and stops accepting new ones. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.#write(this.#ring.takeAll());
  }

  #make(request: Recorded, hit: Hit, { status, others, atMs }: Recording): OpenEvent {
    const { client, method, zoneId } = request;
    const { id, group, severity, message } = hit.rule;
    const { serverZone } = this.#deps;
    const details = {
      ServerZoneId: serverZone,
      Message: message,
      Url: redactUrl(request.url),
      RemoteIp: request.anonymises ? anonymise(client.address) : client.address,
      UrlEncodedBody: '',
      Headers: shownHeaders(request.headers),
      TriggerMatch: matchOf(hit),
      Rules: [...others.map(({ rule }) => rule), ...(hit.alsoMatched ?? [])].map((rule) => rule.id),
    };
    const labels = { ruleId: id, ruleGroup: group, severity, status, method, serverZone };
    return { zoneId, logId: newGuid(), atMs, ...labels, country: client.country, asn: client.asn, details };
  }

  /** One batch at a time: while the database is slow, events wait in the ring, whose size is bounded. */
  #flush(): void {
    if (this.#writing !== null) return;
    const events = this.#ring.take(Date.now());
    if (events.length === 0) return;
    this.#writing = this.#write(events).finally(() => {
      this.#writing = null;
    });
  }

  async #write(events: readonly ShieldEvent[]): Promise<void> {
    const { store } = this.#deps;
    try {
      for (let at = 0; at < events.length; at += BATCH_EVENTS) await store.append(events.slice(at, at + BATCH_EVENTS));
      await this.#clean();
    } catch (error) {
      logEvent('security-events.lost', { err: error, count: events.length });
    }
    const dropped = this.#ring.dropped - this.#droppedBefore;
    if (dropped > 0) logEvent('security-events.lost', { count: dropped });
    this.#droppedBefore = this.#ring.dropped;
  }

  async #clean(): Promise<void> {
    const nowMs = Date.now();
    if (nowMs - this.#cleanedAtMs < HOUR_MS) return;
    this.#cleanedAtMs = nowMs;
    await this.#deps.store.dropBefore(new Date(nowMs - (EVENT_LOG_DAYS - 1) * 24 * HOUR_MS).toISOString().slice(0, 10));
  }
}
