import type { IncomingMessage } from 'node:http';
import { type EmbedToken, readEmbedToken, readParameters } from '../../catalog/libraries/embed-token.ts';
import { readViewerToken } from '../../catalog/viewers/admit-viewer.ts';

/** Properties of the viewer in a request, such as the referrer and the embed token. */
export type PlayRequest = {
  /** Page that sent the request, from the Referer or Origin header, or null if unknown. */
  referrer: string | null;
  /** Whether a browser opens the URL as a top-level page and not in a frame (Fetch Metadata). */
  isOpenedByItself: boolean;
  shown: EmbedToken;
  /** Token of the viewer from the owner's site, or empty. */
  viewerToken: string;
  userAgent: string;
  /** Accept-Language header, for a page that does not belong to a library. Empty if absent. */
  languages: string;
  /** Whether a player page offers Cast, whose script is loaded from another host. */
  offersCast: boolean;
  /** Whether a player page loads the playlist before playback starts. */
  preloads: boolean;
  /** Whether a player page shows the most played parts. Null selects the library's setting. */
  showsHeat: boolean | null;
  /** Language of the preview of an owner, which is not counted. Empty selects the library's setting. */
  previewLanguage: string;
  /** Viewing ticket that an open page sends for renewal, or empty. */
  ticket: string;
  /**
   * Identifies a viewer as well as possible: repeated requests of a viewer have the same value. Access decisions must
   * not depend on it.
   */
  viewer: string;
};

/** Parses a request. Names in the query are case-insensitive, as everywhere in the API. */
export function readPlayRequest({ url = '', headers, socket }: IncomingMessage): PlayRequest {
  const query = url.indexOf('?');
  const sent = readParameters(url);
  const alone = new Set(
    url
      .slice(query + 1)
      .toLowerCase()
      .split('&'),
  );
  // Parses flags as the page parses its own URL (`start-options.ts`).
  const flag = (name: string) => alone.has(name) || readFlag(sent.get(name) ?? '');
  const shown = readEmbedToken(sent);
  return {
    // A page that hides its URL in cross-origin requests still sends its origin.
    referrer: headers.referer ?? headers.origin ?? null,
    languages: headers['accept-language'] ?? '',
    offersCast: flag('chromecast') ?? false,
    preloads: (flag('autoplay') ?? true) || !/^(false|0|no|none)$/i.test(sent.get('preload') ?? ''),
    showsHeat: flag('showheatmap'),
    previewLanguage: sent.get('count') === 'false' ? (sent.get('language') ?? '') : '',
    ticket: sent.get('ticket') ?? '',
    isOpenedByItself: headers['sec-fetch-dest'] === 'document',
    viewer: [shown.token, headers['x-forwarded-for'], socket.remoteAddress, headers['user-agent']].join('|'),
    shown,
    viewerToken: readViewerToken(sent, headers.authorization),
    userAgent: headers['user-agent'] ?? '',
  };
}

/** Returns the token as a query for the next URL. Returns an empty string if the token is missing or malformed. */
export function tokenQuery({ shown: { token, expiresSec, shareId } }: Pick<PlayRequest, 'shown'>): string {
  if (!/^[0-9a-f]{64}$/i.test(token) || expiresSec <= 0) return '';
  return `token=${token}&expires=${expiresSec}${shareId === undefined ? '' : `&share=${shareId}`}`;
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
