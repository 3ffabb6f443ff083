import type { ComponentChildren } from 'preact';
import { type Sentence, t } from '../../base/language.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import type { PlayerLink } from '../player-frame.tsx';
import { preciseClock } from './model/precise-clock.ts';
import { wholeView } from './model/view.ts';
import type { Undoing } from './use-history.ts';
import type { Stage } from './use-stage.ts';

const ZOOM_FACTOR = 2;

type ToolbarProps = {
  stage: Stage;
  link: PlayerLink;
  /** Undo and redo. Null if the user may not edit. */
  undoing: Undoing | null;
  onStep: (steps: number) => void;
  /** Moves an edge of the selected item to the player's position. Null if that is not possible. */
  onSetStart: (() => void) | null;
  onSetEnd: (() => void) | null;
  hasEnds: boolean;
};

export function TimelineToolbar({ stage, link, undoing, onStep, onSetStart, onSetEnd, hasEnds }: ToolbarProps) {
  const isWhole = stage.view.spanSec >= wholeView(stage.lengthSec).spanSec;
  return (
    <div class="tl-tools">
      <Group>
        <Tool icon="stepBack" label="Previous frame" keys="," onClick={() => onStep(-1)} />
        <PlayTool link={link} />
        <Tool icon="stepOn" label="Next frame" keys="." onClick={() => onStep(1)} />
      </Group>
      <TimeText link={link} lengthSec={stage.lengthSec} />
      {undoing !== null && (
        <>
          <Group>
            <Tool icon="undo" label="Undo" keys="Ctrl Z" onClick={undoing.undo} />
            <Tool icon="redo" label="Redo" keys="Ctrl Shift Z" onClick={undoing.redo} />
          </Group>
          <Group class="edges">
            <button type="button" disabled={onSetStart === null} onClick={() => onSetStart?.()}>
              {t('Set start here')}
            </button>
            {hasEnds && (
              <button type="button" disabled={onSetEnd === null} onClick={() => onSetEnd?.()}>
                {t('Set end here')}
              </button>
            )}
          </Group>
        </>
      )}
      <span class="tl-space" />
      <Group>
        <Tool icon="minus" label="Zoom out" keys="-" onClick={isWhole ? null : () => stage.zoom(1 / ZOOM_FACTOR)} />
        <Tool
          icon="fit"
          label="Show everything"
          onClick={isWhole ? null : () => stage.change(wholeView(stage.lengthSec))}
        />
        <Tool icon="plus" label="Zoom in" keys="+" onClick={() => stage.zoom(ZOOM_FACTOR)} />
      </Group>
    </div>
  );
}

function Group({ class: kind = '', children }: { class?: string; children: ComponentChildren }) {
  return <div class={`tl-group ${kind}`}>{children}</div>;
}

type ToolProps = { icon: IconName; label: Sentence; keys?: string; onClick: (() => void) | null };

function Tool({ icon, label, keys, onClick }: ToolProps) {
  const name = t(label);
  return (
    <button
      type="button"
      class="tl-tool"
      aria-label={name}
      title={keys === undefined ? name : `${name} (${keys})`}
      disabled={onClick === null}
      onClick={() => onClick?.()}
    >
      <Icon name={icon} />
    </button>
  );
}

function PlayTool({ link }: { link: PlayerLink }) {
  const isPlaying = link.isPlaying.value;
  return (
    <Tool
      icon={isPlaying ? 'pause' : 'play'}
      label={isPlaying ? 'Pause' : 'Play'}
      onClick={isPlaying ? link.pause : link.play}
    />
  );
}

function TimeText({ link, lengthSec }: { link: PlayerLink; lengthSec: number }) {
  return (
    <span class="tl-time">
      <strong>{preciseClock(link.timeSec.value)}</strong> <span class="of">/ {preciseClock(lengthSec)}</span>
    </span>
  );
}
