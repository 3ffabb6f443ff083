import { useRef } from 'preact/hooks';
import { t } from '../../base/language.ts';
import type { PlayerLink } from '../player-frame.tsx';
import { moveView } from './model/view.ts';
import type { Stage } from './use-stage.ts';

/** The visible part within the whole video. It scrolls the timeline by dragging or by keys. */
export function OverviewBar({ id, stage, link }: { id: string; stage: Stage; link: PlayerLink }) {
  const bar = useRef<HTMLDivElement>(null);
  const grabSec = useRef<number | null>(null);
  const { view, lengthSec } = stage;
  const maxSec = Math.max(0, lengthSec - view.spanSec);
  const move = (bySec: number) => stage.change(moveView(view, bySec, lengthSec));
  const secAt = (clientX: number) => {
    const box = bar.current?.getBoundingClientRect();
    return box === undefined || box.width === 0 ? 0 : ((clientX - box.left) / box.width) * lengthSec;
  };
  const release = () => {
    grabSec.current = null;
    stage.isHeld.current = false;
  };
  const percent = (sec: number) => `${(sec / Math.max(1e-3, lengthSec)) * 100}%`;
  return (
    <div
      class="tl-overview"
      ref={bar}
      role="scrollbar"
      tabIndex={maxSec > 0 ? 0 : -1}
      aria-label={t('Visible part')}
      aria-controls={id}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={Math.round(maxSec)}
      aria-valuenow={Math.round(view.fromSec)}
      onKeyDown={(event) => {
        const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (direction === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        move(direction * view.spanSec * (event.shiftKey ? 1 : 0.25));
      }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const sec = secAt(event.clientX);
        const isInside = sec >= view.fromSec && sec <= view.fromSec + view.spanSec;
        stage.isHeld.current = true;
        grabSec.current = isInside ? sec - view.fromSec : view.spanSec / 2;
        move(sec - grabSec.current - view.fromSec);
      }}
      onPointerMove={(event) => {
        if (grabSec.current !== null) move(secAt(event.clientX) - grabSec.current - view.fromSec);
      }}
      onPointerUp={release}
      onPointerCancel={release}
    >
      <span class="tl-window" style={{ left: percent(view.fromSec), width: percent(view.spanSec) }} />
      <OverviewHead link={link} percent={percent} />
    </div>
  );
}

function OverviewHead({ link, percent }: { link: PlayerLink; percent: (sec: number) => string }) {
  return <span class="tl-overview-head" style={{ left: percent(link.timeSec.value) }} />;
}
