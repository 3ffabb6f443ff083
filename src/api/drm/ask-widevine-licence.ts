import { readBytes } from '../../lib/read-bytes.ts';
import { type LicenceProxy, MAX_CHALLENGE_BYTES } from '../../ports/licence-proxy.ts';
import { defineOperation } from '../define-operation.ts';
import { type LicenceDeps, LicenceQuery, requireLicence } from './require-licence.ts';
import { VideoPathParams } from './video-path-params.ts';

export const askWidevineLicence = defineOperation({
  name: 'askWidevineLicence',
  summary: 'Get a Widevine licence',
  method: 'POST',
  path: '/WidevineLicense/{libraryId}/{videoId}',
  description:
    "Returns the Widevine licence for the raw challenge of a player. The library's referrer rules and embed token " +
    'apply.',
  auth: 'none',
  permission: 'public',
  params: VideoPathParams,
  query: LicenceQuery,
  body: 'raw',
  answer: 'bytes',
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params, query, body, referrer, signal }, deps: LicenceDeps & { licences: LicenceProxy }) {
    const requested = { libraryId: params.libraryId, video: params.videoId, referrer, ...query };
    const mediaId = await requireLicence(requested, 'widevine', deps);
    const challenge = await readBytes(body, { what: 'a challenge', limitBytes: MAX_CHALLENGE_BYTES });
    return deps.licences.request('widevine', { mediaId, challenge }, signal);
  },
});
