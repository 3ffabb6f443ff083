import { type EmbedToken, signEmbedToken } from '../libraries/embed-token.ts';
import { MAX_VIEWER_TOKEN_CHARS } from '../libraries/viewer-access.ts';
import type { CompiledPolicy } from '../shield/admission/compiled-policy.ts';
import { judgeEmbedToken } from '../shield/admission/judge-playback.ts';
import type { Hit } from '../shield/hit.ts';
import { RULES } from '../shield/rules.ts';
import type { ViewerAuthorizer } from './viewer-authorizer.ts';
import type { ViewerFacts, ViewerVerdict } from './viewer-verdict.ts';

/** A viewer who opens a player page, and the embed token that they already have. */
export type OpeningViewer = Omit<ViewerFacts, 'libraryId'> & { shown: EmbedToken };

/** `shown` is the embed token that admits the viewer from now on. */
export type AdmittedViewer = { shown: EmbedToken } | { hit: Hit };

/**
 * Exchanges the token of a viewer for an embed token of the video, which ends with the verdict, if the owner of the
 * library decides which viewers may watch. The embed token admits everything after the page: its data, playlists, keys
 * and licences, and through the token of the folder all files. A valid embed token of the owner or of a share page is
 * kept.
 */
export async function admitViewer(
  { zone, ...policy }: CompiledPolicy,
  { shown, ...viewer }: OpeningViewer,
  { viewers, nowMs }: { viewers: Pick<ViewerAuthorizer, 'judge'>; nowMs: number },
): Promise<AdmittedViewer> {
  const { viewers: access } = zone;
  const { mediaId } = viewer;
  if (access.mode === 'off' || judgeEmbedToken({ zone, ...policy }, { mediaId, shown }, nowMs) === null)
    return { shown };
  const verdict: ViewerVerdict =
    viewer.token.length > MAX_VIEWER_TOKEN_CHARS
      ? { kind: 'denied', reason: `a token of more than ${MAX_VIEWER_TOKEN_CHARS} characters`, untilMs: nowMs }
      : await viewers.judge(access, { ...viewer, libraryId: zone.libraryId });
  if (verdict.kind === 'allowed') {
    const expiresSec = Math.floor(verdict.untilMs / 1000);
    return { shown: signEmbedToken(zone.keys.current, mediaId, { expiresSec }) };
  }
  const expected =
    access.mode === 'hook' ? "a viewer whom the owner's endpoint allows" : "a valid token of the owner's issuer";
  const rule = verdict.kind === 'unchecked' ? RULES.viewerUnchecked : RULES.viewer;
  return { hit: { rule, expected, received: verdict.reason } };
}

/** Reads the token of a viewer: the query parameter `viewer`, or else a bearer token. Empty if there is none. */
export function readViewerToken(sent: ReadonlyMap<string, string>, authorization: string | undefined): string {
  const [, bearer = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return sent.get('viewer') ?? bearer;
}
