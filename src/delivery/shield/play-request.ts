import type { IncomingMessage } from 'node:http';
import { type EmbedToken, readEmbedToken, readParameters } from '../../catalog/libraries/embed-token.ts';

/** Facts about the viewer in a request: the referrer and the embed token. */
export type PlayRequest = {
  /** The page that it names as its origin; null for none. */
  referrer: string | null;
  /** Whether a browser opens the URL as a top-level page, not inside another one (Fetch Metadata). */
  isOpenedByItself: boolean;
  shown: EmbedToken;
  /** Accept-Language, for a page that belongs to no library; empty for none. */
  languages: string;
  /** Whether a player page should offer Cast, whose script is on another host. */
  offersCast: boolean;
  /** Whether a player page loads the playlist before playback is requested. */
  preloads: boolean;
  /** Whether a player page should show the most played parts; null uses the library's setting. */
  showsHeat: boolean | null;
  /** The viewing ticket of an open page, to be renewed; empty for none. */
  ticket: string;
  /**
   * Distinguishes viewers as well as possible: it is the same when a viewer requests again. Nothing may depend on it.
   */
  viewer: string;
};

/** Parses it from a request. Names in its query are case-insensitive, as everywhere in the API. */
export function readPlayRequest({ url = '', headers, socket }: IncomingMessage): PlayRequest {
  const query = url.indexOf('?');
  const sent = readParameters(url);
  const alone = new Set(
    url
      .slice(query + 1)
      .toLowerCase()
      .split('&'),
  );
  // As the page parses its own URL (`start-options.ts`).
  const flag = (name: string) => alone.has(name) || readFlag(sent.get(name) ?? '');
  const shown = readEmbedToken(sent);
  return {
    // A page that hides its URL from a cross-origin request still names its origin.
    referrer: headers.referer ?? headers.origin ?? null,
    languages: headers['accept-language'] ?? '',
    offersCast: flag('chromecast') ?? false,
    preloads: (flag('autoplay') ?? true) || (flag('preload') ?? true),
    showsHeat: flag('showheatmap'),
    ticket: sent.get('ticket') ?? '',
    isOpenedByItself: headers['sec-fetch-dest'] === 'document',
    viewer: [shown.token, headers['x-forwarded-for'], socket.remoteAddress, headers['user-agent']].join('|'),
    shown,
  };
}

/** Returns the token as a query for the next URL; empty for none, or for an invalid one. */
export function tokenQuery({ shown: { token, expiresSec } }: Pick<PlayRequest, 'shown'>): string {
  return /^[0-9a-f]{64}$/i.test(token) && expiresSec > 0 ? `token=${token}&expires=${expiresSec}` : '';
}

/** Returns the query with which an open page requests its state. */
export function stateQuery(play: Pick<PlayRequest, 'shown' | 'showsHeat'>): string {
  const heat = play.showsHeat === null ? '' : `showHeatmap=${play.showsHeat}`;
  return [tokenQuery(play), heat].filter((part) => part !== '').join('&');
}

function readFlag(value: string): boolean | null {
  if (/^(true|1|yes)$/i.test(value)) return true;
  return /^(false|0|no)$/i.test(value) ? false : null;
}
