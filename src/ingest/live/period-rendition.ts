import type { PeriodRendition } from '../../catalog/live/period-store.ts';
import { newGuid } from '../../lib/guid.ts';
import type { TrackConfig } from '../../media/live/access-unit.ts';
import { buildLiveInit, codecNameOf } from '../../media/live/period-init.ts';

/** A rendition of a track that has no rows yet. */
export function renditionOf(track: TrackConfig, origin: PeriodRendition['origin']): PeriodRendition {
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
  };
}
