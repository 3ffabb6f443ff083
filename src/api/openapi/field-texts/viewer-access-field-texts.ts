import type { FieldTexts } from './field-texts.ts';

const ACCESS = {
  mode:
    '`off`: the other rules of the library decide. `hook`: your endpoint decides for each viewer. `jwt`: viewers ' +
    'need a token of your issuer. Unless it is `off`, player pages, play data and all files need a token.',
  url: 'URL of your endpoint.',
  failOpen: 'Whether viewers are admitted, for 5 minutes at most, while the endpoint does not respond or fails.',
  cacheSec:
    'Seconds for which a verdict is valid, 10 to 86400, unless the endpoint sends its own. Playback ends with it.',
  issuer: 'Expected `iss` claim.',
  audience: 'Expected `aud` claim.',
  jwksUrl: 'URL of the public keys of the issuer (RFC 7517).',
  videoClaim:
    'Claim with the id of the video, or a list of ids; null for none. If both claims are null, tokens are for all ' +
    'videos. If both are set, one of them must match.',
  collectionClaim: 'Claim with the id of the collection, or a list of ids; null for none. See `videoClaim`.',
};

/** Descriptions of the fields of viewer access. */
export const VIEWER_ACCESS_FIELD_TEXTS: FieldTexts = {
  ViewerAccessModel: {
    ...ACCESS,
    secret: 'Secret that signs the requests to the endpoint. Null if no endpoint was ever set.',
  },
  UpdateViewerAccessModel: { ...ACCESS, renewSecret: 'If true, requests are signed with a new secret immediately.' },
  TestViewerAccessModel: {
    videoId: 'GUID of the video.',
    viewer: 'Token of the viewer, as in the `viewer` parameter of the player page.',
    ip: 'IP address of the viewer. Default: the caller.',
    userAgent: 'User agent of the viewer.',
    referrer: 'Page that embeds the player.',
  },
  ViewerVerdictModel: {
    verdict:
      '`allowed`: the viewer may watch. `denied`: the viewer may not. `unchecked`: the endpoint gave no ' +
      'verdict, or the keys could not be loaded.',
    reason: 'Reason for the verdict. Empty if there is none.',
    validSec: 'Seconds for which the verdict is valid; null if it is not kept.',
    durationMs: 'Time until the verdict.',
  },
};
