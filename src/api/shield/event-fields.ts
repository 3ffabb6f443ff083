import type { StoredEvent } from '../../catalog/shield/events/shield-event-store.ts';

/** Returns the fields of an event under the names used by searches and exports. */
export function toEventFields({
  ruleGroup,
  ruleId,
  asn,
  country,
  status,
  method,
  severity,
  log,
}: StoredEvent): Record<string, string> {
  const details = readDetails(log);
  return {
    feature: ruleGroup,
    ruleId,
    ip: details.RemoteIp,
    // A proxy terminates TLS, so the edge cannot compute this fingerprint.
    ja4: '',
    ua: details.userAgent,
    url: details.Url,
    asn,
    country,
    action: status,
    method,
    severity,
    message: details.Message,
  };
}

type Details = { RemoteIp: string; Url: string; Message: string; userAgent: string };

function readDetails(log: string): Details {
  const { RemoteIp = '', Url = '', Message = '', Headers = [] } = Object(JSON.parse(log));
  const agent = Array.isArray(Headers)
    ? Headers.find((header: { Name?: unknown }) => header.Name === 'user-agent')
    : null;
  return {
    RemoteIp: String(RemoteIp),
    Url: String(Url),
    Message: String(Message),
    userAgent: String(agent?.Value ?? ''),
  };
}
