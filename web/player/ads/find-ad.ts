import { VASTClient, VASTTracker } from '@dailymotion/vast-client';

/** A video advertisement that this browser can play. `skipSec` is null if it cannot be skipped. */
export type Ad = { mediaUrl: string; clickUrl: string | null; skipSec: number | null; tracker: VASTTracker };

/** The part of a parsed VAST response that is read here. Its package types it as `any`. */
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

/** Timeout for the whole chain of responses. */
const FETCH_MS = 5_000;
/** Maximum number of wrappers, each of which names another server's response. */
const MAX_WRAPPERS = 5;
const TALLEST_PX = 1080;

/**
 * Fetches a VAST response (IAB VAST 2 to 4) and chooses its first linear creative with a playable file. Returns null if
 * there is none, or if the ad server does not respond in time. In that case the video begins.
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
    // The package has no error class of its own. Errors here come from the network or the document.
    if (error instanceof Error) return null;
    throw error;
  }
  for (const ad of ads) {
    for (const creative of ad.creatives) {
      const file = creative.type === 'linear' ? chooseFile(creative.mediaFiles ?? [], heightPx) : null;
      if (file?.fileURL == null) continue;
      // The client may be null.
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
 * Replaces the package's own timeout, which covers only the headers of each response, and throws into the page when it
 * expires.
 */
async function fetchXml(url: string, signal: AbortSignal) {
  try {
    const response = await fetch(url, { signal, credentials: 'omit' });
    if (!response.ok) throw new Error(`Expected a VAST response of ${url}, got status ${response.status}.`);
    const rawXml = await response.text();
    const details = { byteLength: rawXml.length, statusCode: response.status, rawXml };
    return { xml: new DOMParser().parseFromString(rawXml, 'text/xml'), details };
  } catch (error) {
    return { error };
  }
}

/** The client counts its calls in a storage. Counts must not carry over to the next session. */
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
