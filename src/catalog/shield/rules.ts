import type { EdgeErrorCode } from '../../lib/error-catalogue.ts';

/** A rule that refuses or logs requests. Rules of the firewall have the ids of the OWASP core rule set (9xxxxx). */
export type Rule = {
  id: string;
  group: string;
  /** Machine-readable code in the body of a refusal. */
  code: EdgeErrorCode;
  severity: string;
  message: string;
};

type Facts = readonly [id: string, group: string, code: EdgeErrorCode, message: string];

const rule = (...[id, group, code, message, severity = 'WARNING']: [...Facts, severity?: string]): Rule => ({
  id,
  group,
  code,
  severity,
  message,
});

/** The edge's own rules. Their ids are stable, because owners filter their logs by them. */
export const RULES = {
  tokenMissing: rule('10100', 'TOKEN', 'token-denied', 'A token is required'),
  tokenSignature: rule('10101', 'TOKEN', 'token-denied', 'Token signature mismatch'),
  tokenExpired: rule('10102', 'TOKEN', 'token-denied', 'Token expired', 'NOTICE'),
  tokenPath: rule('10103', 'TOKEN', 'token-denied', 'Token for another path'),
  tokenAddress: rule('10110', 'TOKEN', 'token-denied', 'Token without an address'),
  country: rule('10120', 'GEO', 'country-denied', 'Country not allowed', 'NOTICE'),
  referrer: rule('10130', 'REFERRER', 'referrer-denied', 'Referrer not allowed', 'NOTICE'),
  embedToken: rule('10131', 'TOKEN', 'token-denied', 'Embed token missing or invalid'),
  directPlay: rule('10132', 'REFERRER', 'direct-play-denied', 'Direct play not allowed', 'NOTICE'),
  viewer: rule('10133', 'VIEWER', 'viewer-denied', 'Viewer refused by the owner', 'NOTICE'),
  viewerUnchecked: rule('10134', 'VIEWER', 'viewer-unchecked', 'Viewer could not be checked'),
  rate: rule('10140', 'RATELIMIT', 'too-many-requests', 'Too many requests', 'NOTICE'),
  connections: rule('10150', 'RATELIMIT', 'too-many-connections', 'Too many connections', 'NOTICE'),
  accessList: rule('10160', 'ACCESSLIST', 'address-blocked', 'Address blocked'),
  rootPath: rule('10161', 'ACCESSLIST', 'root-blocked', 'Root path blocked', 'NOTICE'),
  post: rule('10162', 'ACCESSLIST', 'post-blocked', 'POST blocked', 'NOTICE'),
  bot: rule('10170', 'BOT', 'bot', 'Automated client', 'NOTICE'),
  malformed: rule('10180', 'PROTOCOL', 'malformed', 'Request cannot be read'),
  headersTooLarge: rule('10181', 'PROTOCOL', 'headers-too-large', 'Request headers too large'),
  slowRequest: rule('10182', 'PROTOCOL', 'too-slow', 'Request sent too slowly', 'NOTICE'),
  ambiguousLength: rule('10183', 'PROTOCOL', 'ambiguous-length', 'Ambiguous request length', 'CRITICAL'),
  severalHosts: rule('10184', 'PROTOCOL', 'several-hosts', 'Several Host headers', 'CRITICAL'),
  slowReader: rule('10186', 'PROTOCOL', 'too-slow', 'Response read too slowly', 'NOTICE'),
  quotaViewers: rule('10200', 'QUOTA', 'quota-viewers', 'Limit of viewers reached', 'NOTICE'),
  quotaBandwidth: rule('10201', 'QUOTA', 'quota-bandwidth', 'Limit of bandwidth reached', 'NOTICE'),
  fieldTooLong: rule('10190', 'PROTOCOL', 'field-too-long', 'Field too long to inspect', 'NOTICE'),
} as const satisfies Record<string, Rule>;
