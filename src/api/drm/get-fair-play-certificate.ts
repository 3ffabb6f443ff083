import { Type } from 'typebox';
import { Refused } from '../../lib/refused.ts';
import type { LicenceProxy } from '../../ports/licence-proxy.ts';
import { defineOperation } from '../define-operation.ts';
import { LibraryParams } from '../read-params.ts';
import { type LicenceDeps, requireSystem, TOKEN_QUERY } from './require-licence.ts';

export const getFairPlayCertificate = defineOperation({
  name: 'getFairPlayCertificate',
  summary: 'Get the FairPlay certificate',
  method: 'GET',
  path: '/FairPlay/{libraryId}/certificate',
  description: 'Returns the FairPlay application certificate (DER). Players need it before they request a licence.',
  auth: 'none',
  permission: 'public',
  params: LibraryParams,
  // Players send a token, but it is not checked: the path contains no video, and the certificate is public.
  query: Type.Object(TOKEN_QUERY),
  answer: 'bytes',
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params, referrer }, deps: LicenceDeps & { licences: LicenceProxy }) {
    await requireSystem({ libraryId: params.libraryId, referrer }, 'fairPlay', deps);
    const { fairPlayCertificate } = deps.licences;
    if (fairPlayCertificate !== null) return fairPlayCertificate;
    throw new Refused('not-found', 'No FairPlay certificate is set. Set MILLRACE_FAIRPLAY_CERTIFICATE.');
  },
});
