import type { LibrarySettings } from './library-settings.ts';

/**
 * How a library decides which viewers may watch. `hook`: the owner's endpoint decides, or `failOpen` if the endpoint
 * does not respond. `jwt`: the owner's issuer signs a token for the viewer. `videoClaim` and `collectionClaim` name the
 * claims with the ids for which the token is valid. If both are null, it is valid for all videos.
 */
export type ViewerAccess =
  | { mode: 'off' }
  // Settings that the API never stores, such as those of a partly restored row. They admit nobody.
  | { mode: 'incomplete'; missing: string }
  | { mode: 'hook'; url: string; secret: string; failOpen: boolean; cacheSec: number }
  | {
      mode: 'jwt';
      issuer: string;
      audience: string;
      jwksUrl: string;
      videoClaim: string | null;
      collectionClaim: string | null;
    };

/** Limits of the time for which a verdict is valid, in seconds. */
export const VERDICT_SEC = { min: 10, max: 86_400 } as const;

/** Returns whether viewers of a library need a token: the owner requires one, or decides for each viewer. */
export function requiresEmbedToken({ access, viewers }: LibrarySettings): boolean {
  return access.playerTokenRequired || viewers.mode !== 'off';
}

/** Maximum length of a viewer's token, in characters. Longer ones are refused. */
export const MAX_VIEWER_TOKEN_CHARS = 4_096;

/**
 * Returns whether files of a library need a token of its zone: the zone requires one, or the owner decides for each
 * viewer, who then gets the token with the page.
 */
export function requiresFileToken({ viewers }: LibrarySettings, zone: { tokenRequired: boolean }): boolean {
  return zone.tokenRequired || viewers.mode !== 'off';
}

/** Reads the stored settings. `secret` signs the requests to the endpoint. */
export function readViewerAccess({ viewers }: LibrarySettings, secret: string | null): ViewerAccess {
  const { mode, url, failOpen, cacheSec, issuer, audience, jwksUrl, videoClaim, collectionClaim } = viewers;
  switch (mode) {
    case 'off':
      return { mode };
    case 'hook':
      if (!url || !secret) return { mode: 'incomplete', missing: url ? 'the secret' : 'the URL' };
      return { mode, url, secret, failOpen, cacheSec };
    case 'jwt':
      if (!issuer || !audience || !jwksUrl) {
        return { mode: 'incomplete', missing: 'the issuer, the audience or the URL of the keys' };
      }
      return { mode, issuer, audience, jwksUrl, videoClaim, collectionClaim };
  }
}
