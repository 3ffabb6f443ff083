/**
 * The part of Google's Cast sender API that this module uses
 * (https://developers.google.com/cast/docs/reference/web_sender).
 */
export type CastSender = { framework: CastFramework; media: CastMedia };

type CastFramework = {
  CastContext: { getInstance(): CastContext };
  RemotePlayer: new () => RemotePlayer;
  RemotePlayerController: new (player: RemotePlayer) => RemotePlayerController;
};
export type CastContext = EventTarget & {
  setOptions(options: { receiverApplicationId: string; autoJoinPolicy: string }): void;
  getCastState(): string;
  requestSession(): Promise<unknown>;
  getCurrentSession(): CastSession | null;
  endCurrentSession(stopsCasting: boolean): void;
};
type CastSession = { loadMedia(request: object): Promise<unknown>; getCastDevice(): { friendlyName: string } };
export type RemotePlayer = { isConnected: boolean; isPaused: boolean; currentTime: number };
export type RemotePlayerController = {
  addEventListener(name: string, run: () => void): void;
  playOrPause(): void;
  seek(): void;
};
type CastMedia = {
  DEFAULT_MEDIA_RECEIVER_APP_ID: string;
  MediaInfo: new (url: string, contentType: string) => object;
  GenericMediaMetadata: new () => object;
  LoadRequest: new (info: object) => object;
};

const ADDRESS = 'https://www.gstatic.com/cv/js/sender/v1/cast_sender.js?loadCastFramework=1';
const READY = '__onGCastApiAvailable';
/** Timeout in ms. It is needed for browsers without Cast, in which the script never calls back. */
const WAIT_MS = 15_000;

/** Fetches the sender from Google. Returns null if it cannot be loaded, or if the browser has no Cast. */
export async function loadCastSender(): Promise<CastSender | null> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  Object.assign(window, { [READY]: (isAvailable: boolean) => resolve(isAvailable) });
  const script = document.createElement('script');
  script.addEventListener('error', () => resolve(false));
  setTimeout(() => resolve(false), WAIT_MS);
  script.src = ADDRESS;
  document.head.append(script);
  if (!(await promise)) return null;
  // The script has created its namespaces in the window.
  const { cast, chrome } = window as unknown as {
    cast: { framework: CastFramework };
    chrome: { cast: { media: CastMedia } };
  };
  return { framework: cast.framework, media: chrome.cast.media };
}
