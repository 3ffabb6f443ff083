import { toPx } from './model/view.ts';
import type { Stage } from './use-stage.ts';

/** Number of tiles per side of a storyboard sheet, which has six by six tiles (`seek/_0.jpg` in the hosted API). */
const SIDE = 6;
const TILES = SIDE * SIDE;
/** Height of the strip in the style sheet. */
const HEIGHT_PX = 56;
const MIN_WIDTH_PX = 40;
const MAX_WIDTH_PX = 140;

/** Frames of a storyboard. `count` is the number of frames, `width` and `height` are the dimensions of the video. */
export type Film = { seekPath: string; count: number; width: number; height: number };

/** Frames of the visible part side by side, cut from storyboard sheets. */
export function FilmStrip({ film, stage }: { film: Film; stage: Stage }) {
  const { view, widthPx, lengthSec } = stage;
  if (widthPx === 0) return <div class="tl-film" />;
  const shape = (film.width || 16) / (film.height || 9);
  const framePx = Math.min(MAX_WIDTH_PX, Math.max(MIN_WIDTH_PX, HEIGHT_PX * shape));
  const frameSec = (framePx / widthPx) * view.spanSec;
  const first = Math.floor(view.fromSec / frameSec);
  const count = Math.ceil((view.fromSec + view.spanSec) / frameSec) - first;
  const percent = (cell: number) => `${(cell * 100) / (SIDE - 1)}%`;
  return (
    <div class="tl-film" aria-hidden="true">
      {Array.from({ length: count }, (_, index) => {
        const cell = first + index;
        const frame = Math.min(film.count - 1, Math.floor((((cell + 0.5) * frameSec) / lengthSec) * film.count));
        const tile = frame % TILES;
        return (
          <span
            key={cell}
            style={{ width: `${framePx + 0.5}px`, translate: `${toPx(cell * frameSec, view, widthPx)}px 0` }}
          >
            <span
              style={{
                aspectRatio: `${shape}`,
                backgroundImage: `url("${film.seekPath}/_${Math.floor(frame / TILES)}.jpg")`,
                backgroundPosition: `${percent(tile % SIDE)} ${percent(Math.floor(tile / SIDE))}`,
              }}
            />
          </span>
        );
      })}
    </div>
  );
}
