import { Type } from 'typebox';
import { readBytes } from '../../lib/read-bytes.ts';
import { type LicenceProxy, MAX_CHALLENGE_BYTES } from '../../ports/licence-proxy.ts';
import { defineOperation } from '../define-operation.ts';
import { FairPlayLicence, FairPlayRequest } from '../models/fair-play.ts';
import { LibraryParams } from '../read-params.ts';
import { queryText } from '../read-query.ts';
import { type LicenceDeps, requireLicence, TOKEN_QUERY } from './require-licence.ts';
import { VideoPathParams } from './video-path-params.ts';

type Deps = LicenceDeps & { licences: LicenceProxy };

/** Reads a raw SPC and returns the raw CKC. */
export const askFairPlayLicence = defineOperation({
  name: 'askFairPlayLicence',
  summary: 'Get a FairPlay licence',
  method: 'POST',
  path: '/FairPlay/{libraryId}/license',
  description:
    "Returns the FairPlay licence (CKC) for the raw request (SPC) of a player. The library's referrer rules and " +
    'embed token apply.',
  exampleQuery: 'videoId=0192f000-0000-7000-8000-000000000001',
  auth: 'none',
  permission: 'public',
  params: LibraryParams,
  query: Type.Object({ ...TOKEN_QUERY, videoId: queryText() }),
  body: 'raw',
  answer: 'bytes',
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params, query, body, referrer, signal }, deps: Deps) {
    const requested = { libraryId: params.libraryId, video: query.videoId, referrer, ...query };
    const mediaId = await requireLicence(requested, 'fairPlay', deps);
    const challenge = await readBytes(body, { what: 'an SPC', limitBytes: MAX_CHALLENGE_BYTES });
    return deps.licences.request('fairPlay', { mediaId, challenge }, signal);
  },
});

/** Older variant, with SPC and CKC in base64 in JSON. */
export const askFairPlayLicenceByPath = defineOperation({
  name: 'askFairPlayLicenceByPath',
  summary: 'Get a FairPlay licence as JSON',
  method: 'POST',
  path: '/FairPlayLicense/{libraryId}/{videoId}',
  description:
    'Returns the FairPlay licence (CKC) for the request (SPC) of a player. Request and licence are base64 in JSON. ' +
    "The library's referrer rules and embed token apply.",
  auth: 'none',
  permission: 'public',
  params: VideoPathParams,
  query: Type.Object(TOKEN_QUERY),
  body: FairPlayRequest,
  bodyLimitBytes: 2 * MAX_CHALLENGE_BYTES,
  answer: FairPlayLicence,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params, query, body, referrer, signal }, deps: Deps) {
    const requested = { libraryId: params.libraryId, video: params.videoId, referrer, ...query };
    const mediaId = await requireLicence(requested, 'fairPlay', deps);
    const challenge = Buffer.from(body.spc, 'base64');
    const licence = await deps.licences.request('fairPlay', { mediaId, challenge }, signal);
    return { ckc: licence.toString('base64') };
  },
});
