import { VASTClient, VASTTracker } from '@dailymotion/vast-client';

/** A video advertisement that this browser can play. `skipSec` is null if it cannot be skipped. */
export type Ad = { mediaUrl: string; clickUrl: string | null; skipSec: number | null; tracker: VASTTracker };

/**
 * Fields of a media file in a parsed VAST response that this module reads. The VAST package types the response as
 * `any`.
 */
type MediaFile = {
  fileURL: string | null;
  mimeType: string | null;
  height: number;
  bitrate: number;
  apiFramework: string | null;
};
type Creative = {
  type: string;
  mediaFiles?: MediaFile[];
  skipDelay: number | null;
  videoClickThroughURLTemplate: { url: string } | null;
};
type VastAd = { creatives: Creative[] };

/** Timeout for the whole chain of responses, in ms. */
const FETCH_MS = 5_000;
/** Maximum number of wrappers. A wrapper is a response that refers to the response of another server. */
const MAX_WRAPPERS = 5;
const TALLEST_PX = 1080;

/**
 * Fetches a VAST response (IAB VAST 2 to 4) and chooses its first linear creative with a playable file. Returns null if
 * there is none, or if the ad server does not respond in time. In both cases the video starts without an advertisement.
 */
export async function findAd(
  tagUrl: string,
  { heightPx, isMuted }: { heightPx: number; isMuted: boolean },
): Promise<Ad | null> {
  const limit = AbortSignal.timeout(FETCH_MS);
  const urlHandler = { get: (url: string) => fetchXml(url, limit) };
  let ads: VastAd[];
  try {
    const response: { ads: VastAd[] } = await openClient().get(tagUrl, {
      urlHandler,
      wrapperLimit: MAX_WRAPPERS,
      resolveAll: false,
    });
    ads = response.ads;
  } catch (error) {
    // The package has no specific error class. Errors here are caused by the network or the document.
    if (error instanceof Error) return null;
    throw error;
  }
  for (const ad of ads) {
    for (const creative of ad.creatives) {
      const file = creative.type === 'linear' ? chooseFile(creative.mediaFiles ?? [], heightPx) : null;
      if (file?.fileURL == null) continue;
      // The package accepts null as the client, although its types do not.
      const tracker = new VASTTracker(null as never, ad as never, creative as never, null, isMuted);
      return {
        mediaUrl: file.fileURL,
        clickUrl: creative.videoClickThroughURLTemplate?.url ?? null,
        skipSec: creative.skipDelay !== null && creative.skipDelay >= 0 ? creative.skipDelay : null,
        tracker,
      };
    }
  }
  return null;
}

/**
 * Fetches a VAST document with a timeout for the whole body. The timeout of the package covers only the headers, and
 * causes an uncaught error in the page when it expires.
 */
async function fetchXml(url: string, signal: AbortSignal) {
  try {
    const response = await fetch(url, { signal, credentials: 'omit' });
    if (!response.ok) throw new Error(`Expected a VAST response from ${url}, got status ${response.status}.`);
    const rawXml = await response.text();
    const details = { byteLength: rawXml.length, statusCode: response.status, rawXml };
    return { xml: new DOMParser().parseFromString(rawXml, 'text/xml'), details };
  } catch (error) {
    return { error };
  }
}

/** Creates a VAST client. The client stores its call counts only in memory, so they are lost with the page. */
function openClient(): VASTClient {
  const counts = new Map<string, unknown>();
  const storage = {
    getItem: (name: string) => counts.get(name),
    setItem: (name: string, value: unknown) => void counts.set(name, value),
  };
  return new VASTClient(0, 0, storage as never); // The client uses only these two methods of a storage.
}

/** Returns the smallest file that fills the frame, or else the tallest. Executable ads (non-video) are never run. */
export function chooseFile(files: readonly MediaFile[], heightPx: number): MediaFile | null {
  const probe = document.createElement('video');
  const playable = files
    .filter(
      ({ mimeType, apiFramework, fileURL }) => fileURL && !apiFramework && probe.canPlayType(mimeType ?? '') !== '',
    )
    .filter(({ mimeType }) => !/mpegurl|dash/i.test(mimeType ?? ''))
    .sort((a, b) => a.height - b.height || a.bitrate - b.bitrate);
  const wantedPx = Math.min(TALLEST_PX, heightPx);
  return playable.find(({ height }) => height >= wantedPx) ?? playable.at(-1) ?? null;
}
