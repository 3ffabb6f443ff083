import { clock } from '../../base/words.ts';
import { rulerTicks, toPx } from './model/view.ts';
import type { Stage } from './use-stage.ts';
import type { Waveform } from './use-waveform.ts';

/** Labels this close to the end of the ruler would be cut off. */
const LABEL_PX = 28;

export function Ruler({ stage: { view, widthPx } }: { stage: Stage }) {
  const { stepSec, ticks } = rulerTicks(view, widthPx);
  const digits = stepSec < 0.1 ? 2 : 1;
  return (
    <div class="tl-ruler" aria-hidden="true">
      {widthPx > 0 &&
        ticks.map((sec) => (
          <span key={sec} style={{ translate: `${toPx(sec, view, widthPx)}px 0` }}>
            {toPx(sec, view, widthPx) < widthPx - LABEL_PX &&
              (stepSec >= 1 ? clock(sec + 0.001) : fractionClock(sec, digits))}
          </span>
        ))}
    </div>
  );
}

function fractionClock(sec: number, digits: number): string {
  const parts = Math.round(sec * 10 ** digits);
  return `${clock(Math.floor(parts / 10 ** digits))}.${String(parts % 10 ** digits).padStart(digits, '0')}`;
}

/** The sound of the visible part. */
export function WaveStrip({ waveform: { count, outline }, stage }: { waveform: Waveform; stage: Stage }) {
  return <Shape class="tl-wave" path={outline} stage={stage} widthOf={count} height={510} />;
}

/** Viewers' interest in the visible part, from values between 0 and 100. */
export function HeatStrip({ heat, stage }: { heat: readonly number[]; stage: Stage }) {
  const line = heat.map((value, index) => `L${index + 0.5},${100 - value}`).join('');
  return (
    <Shape
      class="tl-heat"
      path={`M0,100${line}L${heat.length},100Z`}
      stage={stage}
      widthOf={heat.length}
      height={100}
    />
  );
}

type ShapeProps = { class: string; path: string; stage: Stage; widthOf: number; height: number };

/** A path over the whole video, of which the visible part is shown. */
function Shape({ class: kind, path, stage: { view, lengthSec }, widthOf, height }: ShapeProps) {
  const scale = widthOf / Math.max(1e-3, lengthSec);
  return (
    <svg
      class={kind}
      viewBox={`${view.fromSec * scale} 0 ${view.spanSec * scale} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}
