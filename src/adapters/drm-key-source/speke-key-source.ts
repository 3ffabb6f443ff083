import { text as readText } from 'node:stream/consumers';
import type { Outbound } from '../../lib/outbound/outbound.ts';
import { Refused } from '../../lib/refused.ts';
import type { DrmKeySource, DrmSystem, KeyAnswer, KeyRequest } from '../../ports/drm-key-source.ts';

/** Writes and reads CPIX documents. `parse` throws if the document is not usable. */
export type CpixCodec = { write(request: KeyRequest): string; parse(text: string, request: KeyRequest): KeyAnswer };

export type SpekeOptions = {
  url: string;
  /** The Authorization header, or null. */
  authorization: string | null;
  /** Systems for which the server has keys. */
  systems: readonly DrmSystem[];
  outbound: Outbound;
  cpix: CpixCodec;
  timeoutMs?: number;
};

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 2 ** 20;
const MAX_QUOTED_CHARS = 200;

/**
 * Requests keys from a key server with SPEKE v2: one POST of a CPIX document per video. Throws `Refused`
 * (`unprocessable`) if the server refuses or its response is not usable, because a retry would not help. Messages never
 * contain a key.
 */
export function createSpekeKeySource(options: SpekeOptions): DrmKeySource {
  return {
    systems: options.systems,
    async fetchKeys(request, signal) {
      const text = await post(options, options.cpix.write(request), signal);
      const answer = parse(options.cpix, text, request);
      requireSystems(answer, request);
      return answer;
    },
  };
}

async function post(options: SpekeOptions, document: string, signal: AbortSignal): Promise<string> {
  const { url, authorization, outbound, timeoutMs = TIMEOUT_MS } = options;
  const request = {
    method: 'POST',
    headers: {
      'content-type': 'application/xml',
      'x-speke-version': '2.0',
      'x-speke-user-agent': 'millrace',
      ...(authorization === null ? {} : { authorization }),
    },
    body: document,
    maxBytes: MAX_ANSWER_BYTES,
    timeoutMs,
    redirects: 'returned',
  } as const;
  try {
    const { status, body } = await outbound.request(url, request, signal);
    const text = await readText(body);
    if (status === 200) return text;
    throw toRefusal(status, text);
  } catch (error) {
    if (signal.aborted || (error instanceof Refused && error.kind === 'unprocessable')) throw error;
    // Any other failure may be temporary, because the operator, and not a caller, configured the URL.
    const reason = error instanceof Refused ? error.message : 'its response was incomplete.';
    throw new Refused('unavailable', `The DRM key server returned no keys: ${reason}`, { cause: error });
  }
}

function toRefusal(status: number, text: string): Refused {
  const said = text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_QUOTED_CHARS);
  const answer = `HTTP ${status}${said === '' ? '' : ` "${said}"`}`;
  if (status >= 500 || status === 408 || status === 429)
    return new Refused('unavailable', `it responded with ${answer}.`);
  const advice =
    status === 401 || status === 403 ? 'Check MILLRACE_DRM_KEY_SERVER_AUTHORIZATION.' : 'Check its URL and systems.';
  return new Refused('unprocessable', `The DRM key server refused the request with ${answer}. ${advice}`);
}

function parse(cpix: CpixCodec, text: string, request: KeyRequest): KeyAnswer {
  try {
    return cpix.parse(text, request);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refused('unprocessable', `The response of the DRM key server is unusable: ${reason}`, { cause: error });
  }
}

/** Throws if the response lacks a requested system, because its players would get no keys. */
function requireSystems({ systems }: KeyAnswer, request: KeyRequest): void {
  const missing = request.systems.filter((system) => !systems.some((one) => one.system === system));
  if (missing.length === 0) return;
  const names = missing.join(', ');
  throw new Refused(
    'unprocessable',
    `The response of the DRM key server is unusable: it has nothing for ${names}. Check MILLRACE_DRM_SYSTEMS.`,
  );
}
