import type { Outbound } from '../../lib/outbound/outbound.ts';
import { checkUrl } from '../../lib/outbound/request-rules.ts';
import { postJson } from '../webhooks/post-json.ts';

/** Maximum time of an attempt, including redirects, in ms. */
const LIMIT_MS = 10_000;

/**
 * Posts a message to an incoming webhook of Slack, Mattermost or Discord (`/slack`), through the outbound client with
 * its address rules. Returns null if it was delivered, otherwise the reason of the failure, without the secret URL.
 */
export async function postChat(
  { url, text }: { url: string; text: string },
  outbound: Outbound,
  signal: AbortSignal,
): Promise<string | null> {
  const headers = { 'Content-Type': 'application/json' };
  const post = { url, headers, body: JSON.stringify({ text }), limitMs: LIMIT_MS };
  const { kind, answer } = await postJson(post, outbound, signal);
  if (kind === 'delivered') return null;
  const { pathname, search } = checkUrl(url);
  return [url, `${pathname}${search}`, pathname].reduce((shown, secret) => hide(shown, secret), answer);
}

function hide(text: string, secret: string): string {
  return secret.length > 1 ? text.replaceAll(secret, '…') : text;
}
