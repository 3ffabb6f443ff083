import type { NewRendition } from '../../catalog/live/publishing/period-rendition-store.ts';
import { newGuid } from '../../lib/guid.ts';
import { buildLiveInit, codecNameOf } from '../../media/live/packaging/period-init.ts';
import type { TrackConfig } from '../../media/live/tracks/access-unit.ts';

/** Minimum video height in pixels that uses the HD key. */
const HD_PX = 720;

/** Returns a rendition for a track that has no rows yet. */
export function periodRenditionOf(track: TrackConfig, origin: NewRendition['origin']): NewRendition {
  const { init, facts } = buildLiveInit(track);
  const isVideo = track.kind === 'video';
  return {
    id: newGuid(),
    kind: track.kind,
    origin,
    rung: isVideo ? track.heightPx : null,
    codec: codecNameOf(track),
    codecString: facts.codecString,
    timescale: track.timescale,
    init,
    widthPx: isVideo ? track.widthPx : null,
    heightPx: isVideo ? track.heightPx : null,
    keyGroup: isVideo ? (track.heightPx >= HD_PX ? 'hd' : 'sd') : 'audio',
  };
}
