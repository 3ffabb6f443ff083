import { createHmac, type KeyObject } from 'node:crypto';
import { clientKey } from '../../../lib/client-key.ts';
import { type Guid, guidOfBytes } from '../../../lib/guid.ts';

/** A viewer of one video, as an edge sees them. `kind` keeps those that our page reports apart from estimates. */
export type SeenViewer = {
  kind: 'page' | 'other' | 'address';
  libraryId: number;
  mediaId: Guid;
  address: string;
  userAgent: string;
};

const GUID_BYTES = 16;

/**
 * Names a viewer of one video: the same at every edge, and without the installation's secret nobody can find the
 * address, or the same viewer of another video, by it. Viewers of one address count by the /64 network of IPv6.
 */
export function viewerId({ kind, libraryId, mediaId, address, userAgent }: SeenViewer, secret: KeyObject): Guid {
  const text = `viewer\n${kind}\n${libraryId}\n${mediaId}\n${clientKey(address)}\n${userAgent}`;
  return guidOfBytes(createHmac('sha256', secret).update(text).digest().subarray(0, GUID_BYTES));
}
