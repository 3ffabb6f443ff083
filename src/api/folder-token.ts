import type { Library } from '../catalog/libraries/library.ts';
import { type PullZoneName, parsePullZoneName } from '../catalog/pull-zones/pull-zone-name.ts';
import { signMedia } from '../catalog/pull-zones/sign-media.ts';
import type { ZonePolicy } from '../catalog/pull-zones/zone-policy.ts';
import type { VideoView } from '../catalog/videos/video-view.ts';

export type FolderTokenDeps = { loadPolicy(name: PullZoneName): Promise<ZonePolicy | null> };

/**
 * The token of a video's folder, for a caller at `address` who has shown what the library requires; null where the zone
 * requires none.
 */
export async function signFolderFor(
  { pullZone }: Library,
  { id, duration_ms: durationMs }: Pick<VideoView, 'id' | 'duration_ms'>,
  { address, loadPolicy }: FolderTokenDeps & { address: string },
): Promise<string | null> {
  const name = pullZone.settings.tokenRequired ? parsePullZoneName(pullZone.name) : null;
  const policy = name === null ? null : await loadPolicy(name);
  if (policy === null) return null;
  return signMedia(policy, { mediaId: id, durationMs }, { address, nowMs: Date.now() });
}
