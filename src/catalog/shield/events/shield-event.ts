import ipaddr from 'ipaddr.js';
import type { Guid } from '../../../lib/guid.ts';
import type { Hit } from '../hit.ts';

/** Days that the event log shows, today among them. */
export const EVENT_LOG_DAYS = 3;

/** What was done with a request that a rule found. */
export type EventStatus = 'Blocked' | 'Logged';

/** One request that a rule refused or logged, as it is stored. `zoneId` is 0 for requests of no zone. */
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

/** What an event holds beside its labels; names as published. No cookie, key or token is ever among the headers. */
export type EventDetails = {
  ServerZoneId: string;
  Message: string;
  Url: string;
  RemoteIp: string;
  UrlEncodedBody: string;
  Headers: readonly { Name: string; Value: string }[];
  TriggerMatch: { Key: string; Value: string };
  /** Other rules that found something in the same request. */
  Rules: readonly string[];
  /** How many requests alike before this one have no event of their own. */
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

/** The headers that an event shows: a list of harmless ones, since what a client may send as a secret has no end. */
export function shownHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): EventDetails['Headers'] {
  return HEADERS.flatMap((Name) => {
    const value = headers[Name];
    if (value === undefined) return [];
    return [{ Name, Value: (Array.isArray(value) ? value.join(', ') : value).slice(0, MAX_VALUE_CHARS) }];
  });
}

/**
 * An address without its last group (`192.0.2.*`), or the /64 network of an IPv6 address (`2001:db8:1:2::/64`): block
 * lists take both. What is no address stays.
 */
export function anonymise(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString().replace(/\d+$/, '*');
  return `${new ipaddr.IPv6([...parsed.toByteArray().slice(0, 8), ...Buffer.alloc(8)])}/64`;
}

/** What matched, as an event shows it: the firewall's operator and its match, else what was expected and what came. */
export function matchOf({ rule, expected, came, match }: Hit): EventDetails['TriggerMatch'] {
  return match ?? { Key: rule.group, Value: `expected ${expected}, got ${came}`.slice(0, MAX_VALUE_CHARS) };
}
