import { MAX_FETCH_BYTES } from '../../jobs/uploads/fetch-video.ts';
import { statusMessage } from '../../lib/outbound/download.ts';
import type { Outbound, OutboundAnswer } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';
import { recognizeForeign } from '../../media/probe/foreign-bytes.ts';

const PATIENCE_MS = 15_000;

/** URL and headers of a requested fetch. */
export type Origin = { url: string; headers: Record<string, string> };

/**
 * Requests a file and checks its first bytes, so that a fetch that cannot succeed is refused immediately (`invalid`),
 * with the response of the origin in the message. Returns the announced size, or null if the origin announced none.
 */
export async function checkOrigin(
  { url, headers }: Origin,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<number | null> {
  const request = { method: 'GET', headers, maxBytes: MAX_FETCH_BYTES, timeoutMs: PATIENCE_MS } as const;
  try {
    const answer = await outbound.request(url, request, signal);
    try {
      await requireFile(answer);
    } finally {
      answer.body.destroy();
    }
    const announced = answer.headers['content-length'];
    return announced === undefined ? null : Number(announced);
  } catch (error) {
    // The caller gets the same kind of refusal whatever the cause: the fetch failed.
    if (error instanceof Refused) throw new Refused('invalid', `${error.message} Check the URL.`, { cause: error });
    throw error;
  }
}

async function requireFile({ status, body }: OutboundAnswer): Promise<void> {
  if (status !== 200) throw new Refused('invalid', statusMessage(status));
  for await (const chunk of body) {
    const foreign = recognizeForeign(chunk);
    if (foreign !== null) {
      throw new Refused('invalid', `The origin sent ${foreign.kind}, which cannot be fetched: ${foreign.advice}.`);
    }
    if (chunk.length > 0) return;
  }
  throw new Refused('invalid', 'The origin sent an empty file. Check the URL.');
}
