import { isbot } from 'isbot';
import type { WafSettings } from '../../libraries/library-settings.ts';
import type { Hit } from '../hit.ts';
import { redactUrl } from '../redact-url.ts';
import { RULES } from '../rules.ts';
import type { Finding, Firewall } from './firewall.ts';
import type { InspectedRequest } from './request-fields.ts';

/**
 * Verdict of the firewall: `blocking` if the zone blocks and the score is reached; `logged` are matches that are only
 * logged.
 */
export type FirewallVerdict = { blocking: Hit | null; logged: readonly Hit[] };

/** The core rule set's own default: one critical rule is enough. */
const THRESHOLD = 5;
/** Scanners are only logged; the attack itself is refused. */
const LOGGED_GROUP = 'SCANNER-DETECTION';
const EXPECTED = 'a request that does not look like an attack';
const MAX_SHOWN_CHARS = 120;
const NOTHING: FirewallVerdict = { blocking: null, logged: [] };

/**
 * Judges a request by the anomaly score of all rules together. Below the threshold, only a field that was too long to
 * inspect is logged.
 */
export function judgeInspection(firewall: Firewall, request: InspectedRequest, waf: WafSettings): FirewallVerdict {
  if (!waf.enabled) return NOTHING;
  const ignored = new Set(waf.ignoredHeaders.map((name) => name.toLowerCase()));
  const { findings, isCut } = firewall.inspect(request, new Set(waf.disabledRules), ignored);
  const loggedOnly = new Set(waf.loggedRules);
  const blocking = findings.filter(({ rule }) => rule.group !== LOGGED_GROUP && !loggedOnly.has(rule.id));
  const hit = toHit(findings);
  if (waf.blocks && scoreOf(blocking) >= THRESHOLD) return { blocking: toHit(blocking), logged: [] };
  const cut = isCut ? [{ rule: RULES.fieldTooLong, expected: 'fields of up to 8 KB', received: 'a longer one' }] : [];
  return { blocking: null, logged: scoreOf(findings) >= THRESHOLD && hit !== null ? [hit] : cut };
}

/**
 * Returns a match if the User-Agent header identifies a bot. Called only for requests that a player would never send.
 */
export function findBot({ rawHeaders }: InspectedRequest): Hit[] {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'user-agent');
  const agent = at === -1 ? '' : (rawHeaders[at + 1] ?? '');
  return agent !== '' && isbot(agent)
    ? [{ rule: RULES.bot, expected: 'a browser', received: agent.slice(0, MAX_SHOWN_CHARS) }]
    : [];
}

function scoreOf(findings: readonly Finding[]): number {
  return findings.reduce((sum, { score }) => sum + score, 0);
}

/** The rule with the highest score decides; the others are listed with it. */
function toHit(findings: readonly Finding[]): Hit | null {
  const [deciding, ...others] = findings.toSorted((one, other) => other.score - one.score);
  if (deciding === undefined) return null;
  const { rule, operator, field, key } = deciding;
  const received = key === '' ? field : `${field}:${key.slice(0, MAX_SHOWN_CHARS)}`;
  const match = { Key: operator, Value: shownValue(deciding) };
  return { rule, expected: EXPECTED, received, match, alsoMatched: others.map((other) => other.rule) };
}

const SHOWN_HEADERS = new Set(['host', 'user-agent', 'referer', 'origin', 'range', 'content-type', 'accept']);

/** Returns the matched text with possible secrets masked. */
function shownValue({ field, key, value }: Finding): string {
  if (field === 'REQUEST_COOKIES' || (field === 'REQUEST_HEADERS' && !SHOWN_HEADERS.has(key))) return '***';
  if (field === 'ARGS') return redactUrl(`?${key}=${value}`).slice(1, MAX_SHOWN_CHARS);
  return redactUrl(value).slice(0, MAX_SHOWN_CHARS);
}
