/** Number of tiles per side of a storyboard sheet, which has six by six tiles (`seek/_0.jpg` in the hosted API). */
const SIDE = 6;
const TILES = SIDE * SIDE;
/** Number of frames in the band. Narrow frames need a higher number to fill it. */
const FRAMES = 8;
const NARROW_FRAMES = 18;

type Props = { seekPath: string; count: number; width: number; height: number };

/** Frames of the whole video side by side, cut from its storyboard sheets. `count` is the number of frames in them. */
export function StoryboardFrames({ seekPath, count, width, height }: Props) {
  const shown = Math.min(count, width < height ? NARROW_FRAMES : FRAMES);
  const frames = Array.from({ length: shown }, (_, index) => Math.floor(((index + 0.5) * count) / shown));
  const percent = (place: number) => `${(place * 100) / (SIDE - 1)}%`;
  return (
    <div class="band-frames" aria-hidden="true">
      {frames.map((frame) => {
        const tile = frame % TILES;
        return (
          <span key={frame}>
            <span
              style={{
                aspectRatio: `${width || 16} / ${height || 9}`,
                backgroundImage: `url("${seekPath}/_${Math.floor(frame / TILES)}.jpg")`,
                backgroundPosition: `${percent(tile % SIDE)} ${percent(Math.floor(tile / SIDE))}`,
              }}
            />
          </span>
        );
      })}
    </div>
  );
}
