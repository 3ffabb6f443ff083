import type { CodecPlan } from '../../catalog/encoding/codec-store.ts';
import type { RetryView } from '../../catalog/encoding/retry-store.ts';
import { audioWorks, encodedWorks, passThroughWorks } from './plan-works.ts';

/** Plans the works that make once more what failed: pictures of each codec together, each sound by itself. */
export function planRetry({ failed, ...view }: RetryView): CodecPlan {
  const durationSec = view.cutList.endTicks / view.cutList.timescale;
  const place = { key: view.key, timelineId: view.timelineId, cutList: view.cutList, durationSec };
  const pictures = failed.filter(({ kind }) => kind === 'video');
  const encoded = pictures
    .filter(({ origin }) => origin === 'encode')
    .toSorted((a, b) => (b.rung ?? 0) - (a.rung ?? 0));
  const codecs = [...new Set(encoded.map(({ codec }) => codec))];
  const works = [
    ...passThroughWorks(
      place,
      pictures.filter(({ origin }) => origin === 'pass-through'),
    ),
    ...codecs.flatMap((name) => {
      const rungs = encoded.filter(({ codec }) => codec === name);
      return encodedWorks(place, rungs, false);
    }),
    ...audioWorks(
      place,
      failed.filter(({ kind }) => kind === 'audio'),
      false,
    ),
  ];
  return { renditions: failed, works };
}
