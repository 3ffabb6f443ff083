import { createWindowLimit, type WindowRate } from '../../lib/window-limit.ts';

/** Limits attempts on a share page by one client address, and by all addresses together. */
export type ShareLimit = {
  /** Counts an attempt. Returns false, and counts nothing, if a limit is reached. */
  take(shareId: string, clientKey: string): boolean;
  /** Removes an attempt from the count, because it succeeded. */
  forgive(shareId: string, clientKey: string): void;
};

/** Counts in memory, for one process. */
export function createShareLimit(rates: { client: WindowRate; share: WindowRate }): ShareLimit {
  const byClient = createWindowLimit(Date.now, rates.client);
  const byShare = createWindowLimit(Date.now, rates.share);
  return {
    take(shareId, clientKey) {
      const ofClient = `${shareId}|${clientKey}`;
      if (byClient.isReached(ofClient) || byShare.isReached(shareId)) return false;
      byClient.count(ofClient);
      byShare.count(shareId);
      return true;
    },
    forgive(shareId, clientKey) {
      byClient.forgive(`${shareId}|${clientKey}`);
      byShare.forgive(shareId);
    },
  };
}
