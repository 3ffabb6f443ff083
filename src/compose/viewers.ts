import type { Db } from '../catalog/db.ts';
import type { ViewerAuthorizer } from '../catalog/viewers/viewer-authorizer.ts';
import { createOutbound } from '../lib/outbound/outbound.ts';

/** Opens the part of an edge that asks owners of libraries about viewers. It has its own client. */
export async function openViewers(
  { outboundAllow }: { outboundAllow: readonly string[] },
  { db }: { db: Db },
): Promise<{ viewers: ViewerAuthorizer; close(): Promise<void> }> {
  const [{ ViewerAuthorizer: Authorizer }, { findCollection }] = await Promise.all([
    import('../catalog/viewers/viewer-authorizer.ts'),
    import('../catalog/viewers/viewer-access-store.ts'),
  ]);
  const outbound = createOutbound({ allow: outboundAllow });
  const viewers = new Authorizer({ outbound, findCollection: (key) => findCollection(db, key) });
  return { viewers, close: () => outbound.close() };
}
