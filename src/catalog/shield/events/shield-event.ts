import ipaddr from 'ipaddr.js';
import type { Guid } from '../../../lib/guid.ts';
import type { Hit } from '../hit.ts';
import { redactUrl } from '../redact-url.ts';

/** Days that the event log shows, including today. */
export const EVENT_LOG_DAYS = 3;

/** Action for a request that a rule matched. */
export type EventStatus = 'Blocked' | 'Logged';

/** One request that a rule refused or logged, as stored. `zoneId` is 0 for requests without a zone. */
export type ShieldEvent = {
  zoneId: number;
  logId: Guid;
  atMs: number;
  ruleId: string;
  ruleGroup: string;
  severity: string;
  status: EventStatus;
  method: string;
  country: string;
  asn: string;
  serverZone: string;
  /** JSON text of `EventDetails`. */
  log: string;
};

/**
 * Content of an event in addition to its labels, with the names of the hosted API. Its headers never include a cookie,
 * key or token.
 */
export type EventDetails = {
  ServerZoneId: string;
  Message: string;
  Url: string;
  RemoteIp: string;
  UrlEncodedBody: string;
  Headers: readonly { Name: string; Value: string }[];
  TriggerMatch: { Key: string; Value: string };
  /** Other rules that matched the same request. */
  Rules: readonly string[];
  /** Number of similar requests before this one that have no separate event. */
  Suppressed?: number;
};

const HEADERS = [
  'host',
  'user-agent',
  'referer',
  'origin',
  'range',
  'content-type',
  'content-length',
  'accept',
] as const;
const MAX_VALUE_CHARS = 500;

/**
 * Returns the headers that an event shows: an allow list of harmless ones, because clients can send secrets in any
 * header. Secret parameters of the referring page are masked.
 */
export function shownHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): EventDetails['Headers'] {
  return HEADERS.flatMap((Name) => {
    const value = headers[Name];
    if (value === undefined) return [];
    const text = Array.isArray(value) ? value.join(', ') : value;
    // The URL of the referring page may contain a token, as those of player pages do.
    const shown = Name === 'referer' ? redactUrl(text) : text;
    return [{ Name, Value: shown.slice(0, MAX_VALUE_CHARS) }];
  });
}

/**
 * Returns an IPv4 address without its last group (`192.0.2.*`), or the /64 network of an IPv6 address
 * (`2001:db8:1:2::/64`): block lists accept both. Other texts are returned unchanged.
 */
export function anonymise(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString().replace(/\d+$/, '*');
  return `${new ipaddr.IPv6([...parsed.toByteArray().slice(0, 8), ...Buffer.alloc(8)])}/64`;
}

/**
 * Returns the match as an event shows it: the firewall's operator and its match, else the expected and received values.
 */
export function matchOf({ rule, expected, received, match }: Hit): EventDetails['TriggerMatch'] {
  return match ?? { Key: rule.group, Value: `expected ${expected}, got ${received}`.slice(0, MAX_VALUE_CHARS) };
}
