import { t } from '../../base/language.ts';
import type { TimelineItem } from './model/blocks.ts';
import type { Edge, Times } from './model/track.ts';
import { toPx } from './model/view.ts';
import { TimeHandle } from './time-handle.tsx';
import type { Stage } from './use-stage.ts';

type RangeProps = {
  stage: Stage;
  item: TimelineItem;
  name: string;
  isPoint: boolean;
  isCut: boolean;
  targets: () => readonly number[];
  /** Null if the user may not edit. */
  onMove: ((times: Times, edge: Edge, key: string) => void) | null;
};

const BEYOND_PX = 20;

/** The selected item over the frames and the sound, with a handle at each end. */
export function SelectedRange({ stage, item, name, isPoint, isCut, targets, onMove }: RangeProps) {
  const { view, widthPx } = stage;
  const { startSec, endSec } = item;
  if (!(endSec >= startSec)) return null;
  const clamp = (px: number) => Math.max(-BEYOND_PX, Math.min(widthPx + BEYOND_PX, px));
  const left = clamp(toPx(startSec, view, widthPx));
  const set = (edge: 'start' | 'end') => (here: number, key: string) => {
    if (isPoint) onMove?.({ startSec: here, endSec: here }, edge, key);
    else if (edge === 'start') onMove?.({ startSec: Math.min(here, endSec), endSec }, edge, key);
    else onMove?.({ startSec, endSec: Math.max(here, startSec) }, edge, key);
  };
  return (
    <>
      {!isPoint && (
        <div
          class={isCut ? 'tl-selected cut' : 'tl-selected'}
          style={{ translate: `${left}px 0`, width: `${clamp(toPx(endSec, view, widthPx)) - left}px` }}
        />
      )}
      {onMove !== null && (
        <TimeHandle
          stage={stage}
          class={isPoint ? 'point' : 'edge start'}
          label={t('{0} of {1}', t('Beginning'), name)}
          sec={startSec}
          targets={targets}
          onMove={set('start')}
        />
      )}
      {onMove !== null && !isPoint && (
        <TimeHandle
          stage={stage}
          class="edge end"
          label={t('{0} of {1}', t('End'), name)}
          sec={endSec}
          targets={targets}
          onMove={set('end')}
        />
      )}
    </>
  );
}
