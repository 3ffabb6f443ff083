import { layBlocks } from './model/blocks.ts';
import type { Track } from './model/track.ts';
import type { Stage } from './use-stage.ts';

type RowProps = { number: number; track: Track; stage: Stage; selected: number | null };

/** Minimum width of a block that has a label. */
const LABEL_PX = 24;

/** The visible items of a track. The editor lists the same items for keyboards and assistive technology. */
export function TrackRow({ number, track, stage: { view, widthPx }, selected }: RowProps) {
  return (
    <div class={track.isPoints ? 'tl-track points' : 'tl-track'} data-track={number} aria-hidden="true">
      {layBlocks(track.items, view, widthPx).map(({ index, count, leftPx, widthPx: blockPx }) => (
        <span
          key={index}
          class={classOf(index, count, selected)}
          style={{ translate: `${leftPx}px 0`, width: track.isPoints ? undefined : `${Math.max(2, blockPx - 1)}px` }}
          title={count === 1 ? track.items[index]?.label : undefined}
        >
          {count === 1 && (track.isPoints || blockPx > LABEL_PX) && <span dir="auto">{track.items[index]?.label}</span>}
        </span>
      ))}
    </div>
  );
}

function classOf(index: number, count: number, selected: number | null): string {
  if (count > 1) return 'tl-block many';
  if (index === selected) return 'tl-block here';
  return selected !== null && index === selected + 1 ? 'tl-block after' : 'tl-block';
}
