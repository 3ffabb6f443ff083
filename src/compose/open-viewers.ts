import type { ViewerAuthorizer } from '../catalog/viewers/viewer-authorizer.ts';
import { createOutbound } from '../lib/outbound/outbound.ts';

/** Opens the part of an edge that asks owners of libraries which viewers may watch. It has its own client. */
export async function openViewers({
  outboundAllow,
}: {
  outboundAllow: readonly string[];
}): Promise<{ viewers: ViewerAuthorizer; close(): Promise<void> }> {
  const { ViewerAuthorizer: Authorizer } = await import('../catalog/viewers/viewer-authorizer.ts');
  const outbound = createOutbound({ allow: outboundAllow });
  const viewers = new Authorizer({ outbound });
  return { viewers, close: () => outbound.close() };
}
