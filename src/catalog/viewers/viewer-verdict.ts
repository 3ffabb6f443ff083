import type { Guid } from '../../lib/guid.ts';

/** Facts about a viewer who opens a video. `token` is empty if the viewer sends none. */
export type ViewerFacts = {
  libraryId: number;
  mediaId: Guid;
  collectionId: Guid | null;
  token: string;
  address: string;
  userAgent: string;
  referrer: string | null;
};

/**
 * Decision about a viewer. `allowed`: until a time. `denied`: with the reason for the owner. `unchecked`: the endpoint
 * could not be asked, or the keys of the issuer could not be loaded.
 */
export type ViewerVerdict =
  | { kind: 'allowed'; untilMs: number; reason: string }
  | { kind: 'denied'; reason: string; untilMs: number }
  | { kind: 'unchecked'; reason: string };

/** Maximum length of a reason that is kept. */
const MAX_REASON_CHARS = 200;

export function shortReason(text: string): string {
  return text.slice(0, MAX_REASON_CHARS);
}
