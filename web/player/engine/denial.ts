import Hls, { type ErrorData } from 'hls.js';

/** Permanent reason why the viewer cannot watch the video, as a text key. */
export type Denial = 'denied.keys' | 'denied.browser' | 'denied.insecure';

/** Returns the denial that an error means, or null if a retry may help. */
export function denialOf({ type, details, response }: ErrorData): Denial | null {
  const isOfKeys = type === Hls.ErrorTypes.KEY_SYSTEM_ERROR || details === Hls.ErrorDetails.KEY_LOAD_ERROR;
  if (!isOfKeys) return null;
  if (response?.code === 403) return 'denied.keys';
  if (details !== Hls.ErrorDetails.KEY_SYSTEM_NO_ACCESS) return null;
  return window.isSecureContext ? 'denied.browser' : 'denied.insecure';
}
