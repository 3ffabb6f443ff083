import { useId } from 'preact/hooks';
import type { VideoModel } from '../../../../src/api/models/video.ts';
import { t } from '../../base/language.ts';
import type { PlayerLink } from '../player-frame.tsx';
import { type Film, FilmStrip } from './film-strip.tsx';
import { stepRate } from './model/steps.ts';
import type { Selection, Track } from './model/track.ts';
import { OverviewBar } from './overview-bar.tsx';
import { PlayHead } from './play-head.tsx';
import { SelectedRange } from './selected-range.tsx';
import { HeatStrip, Ruler, WaveStrip } from './strips.tsx';
import { TimelineToolbar } from './timeline-toolbar.tsx';
import { TrackRow } from './track-row.tsx';
import { type Actions, useActions } from './use-actions.ts';
import type { Undoing } from './use-history.ts';
import { type Stage, useStage } from './use-stage.ts';
import { useSurface } from './use-surface.ts';
import type { Waveform } from './use-waveform.ts';
import { useWheel } from './use-wheel.ts';

type TimelineProps = {
  video: VideoModel;
  link: PlayerLink;
  /** Null until it is known. */
  waveform: Waveform | null;
  seekPath: string | null;
  heat?: readonly number[];
  tracks: readonly Track[];
  selection: Selection | null;
  onSelect: (selection: Selection) => void;
  undoing: Undoing | null;
};

/** A video over time: its frames and sound, the items of an editor, and the position of the player. */
export function Timeline(props: TimelineProps) {
  const { video, link, waveform, tracks, selection } = props;
  const id = useId();
  const lengthSec = waveform !== null && waveform.lengthSec > 0 ? waveform.lengthSec : video.length;
  const stage = useStage({ lengthSec, rate: stepRate(video.framerate), link });
  const actions = useActions({ ...props, stage });
  const surface = useSurface(stage, actions.surface);
  useWheel(stage.area, surface.onWheel);
  return (
    <section class="tl" aria-label={t('Timeline')} onKeyDown={actions.onKeyDown}>
      <TimelineToolbar
        stage={stage}
        link={link}
        undoing={props.undoing}
        hasEnds={tracks.some(({ isPoints }) => !isPoints)}
        onStep={actions.step}
        onSetStart={actions.setStart}
        onSetEnd={actions.setEnd}
      />
      <div class="tl-body">
        <div class="tl-area" id={id} ref={stage.area}>
          <div
            class="tl-surface"
            onPointerDown={surface.onPointerDown}
            onPointerMove={surface.onPointerMove}
            onPointerUp={surface.onPointerUp}
            onPointerCancel={surface.onPointerCancel}
          >
            <Ruler stage={stage} />
            <Strips {...props} stage={stage} />
            {tracks.map((one, index) => (
              <TrackRow
                // Tracks keep their order.
                key={`track ${index}`}
                number={index}
                track={one}
                stage={stage}
                selected={selection?.track === index ? selection.index : null}
              />
            ))}
          </div>
          <Selected {...props} stage={stage} actions={actions} />
          <PlayHead stage={stage} link={link} onSeek={actions.seek} onPage={actions.goToItem} />
        </div>
      </div>
      <OverviewBar id={id} stage={stage} link={link} />
    </section>
  );
}

function Strips({ video, seekPath, waveform, heat, stage }: TimelineProps & { stage: Stage }) {
  const film: Film | null =
    seekPath !== null && video.thumbnailCount > 0
      ? { seekPath, count: video.thumbnailCount, width: video.width, height: video.height }
      : null;
  const hasSound = waveform !== null && waveform.count > 0;
  return (
    <>
      {film !== null && <FilmStrip film={film} stage={stage} />}
      {(hasSound || heat !== undefined || film === null) && (
        <div class="tl-graph">
          {heat !== undefined && <HeatStrip heat={heat} stage={stage} />}
          {hasSound && <WaveStrip waveform={waveform} stage={stage} />}
        </div>
      )}
    </>
  );
}

function Selected({ tracks, selection, stage, actions }: TimelineProps & { stage: Stage; actions: Actions }) {
  if (selection === null) return null;
  const track = tracks[selection.track];
  const item = track?.items[selection.index];
  if (track === undefined || item === undefined) return null;
  return (
    <SelectedRange
      stage={stage}
      item={item}
      name={track.nameOf(selection.index)}
      isPoint={track.isPoints}
      isCut={track.isCut === true}
      targets={actions.targets}
      onMove={track.onMove === null ? null : actions.move}
    />
  );
}
