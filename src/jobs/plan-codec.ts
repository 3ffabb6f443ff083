import type { CodecPlan, CodecView } from '../catalog/encoding/codec-store.ts';
import { planLadder } from '../media/ladder.ts';
import { readEncodeSettings } from './encode-settings.ts';
import { encodedRendition } from './plan-video.ts';
import { encodedWorks } from './plan-works.ts';

/** Plans the rungs of a codec that a video's ladder has and the video has not, on the cuts that it has. */
export function planCodec(codec: string, view: CodecView): CodecPlan {
  const { ladder } = readEncodeSettings(view.librarySettings, view.uploadOptions);
  const missing = planLadder(view.facts, ladder).filter(({ rung }) => !view.rungs.includes(rung));
  const renditions = missing.map((rung) => encodedRendition(rung, codec, view.cutList));
  const durationSec = view.cutList.endTicks / view.cutList.timescale;
  const place = { key: view.key, timelineId: view.timelineId, cutList: view.cutList, durationSec };
  return { renditions, works: encodedWorks(place, renditions, false) };
}
