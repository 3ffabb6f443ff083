import { createHmac, type KeyObject } from 'node:crypto';
import { clientKey } from '../../../lib/client-key.ts';
import { type Guid, guidOfBytes } from '../../../lib/guid.ts';

/** A viewer of one video, as seen by an edge. `kind` separates those reported by our page from estimates. */
export type SeenViewer = {
  kind: 'page' | 'other' | 'address';
  libraryId: number;
  mediaId: Guid;
  address: string;
  userAgent: string;
};

const GUID_BYTES = 16;

/**
 * Returns the id of a viewer of one video. It is the same at every edge. Without the installation's secret it reveals
 * neither the address nor the same viewer of another video. IPv6 addresses count by their /64 network.
 */
export function viewerId({ kind, libraryId, mediaId, address, userAgent }: SeenViewer, secret: KeyObject): Guid {
  const text = `viewer\n${kind}\n${libraryId}\n${mediaId}\n${clientKey(address)}\n${userAgent}`;
  return guidOfBytes(createHmac('sha256', secret).update(text).digest().subarray(0, GUID_BYTES));
}
