import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { VideoHeatmapModel, VideoPlayDataModel } from '../../../src/api/models/play-data.ts';
import type { VideoModel } from '../../../src/api/models/video.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { go } from '../base/router.ts';
import { mayWrite } from '../base/session.ts';
import { clock } from '../base/words.ts';
import { Panel } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import type { PartProps } from './part-props.ts';
import { playDataPath } from './play-data-path.ts';
import { StoryboardFrames } from './storyboard-frames.tsx';

type Range = { fromSec: number; toSec: number };

const REPLAYED_SEC = 30;

/**
 * Creates a new video from a part that the user selects on the heatmap, or from the most watched part. Nothing is
 * encoded again.
 */
export function ClipMaker({ libraryId, video, link }: PartProps) {
  const heat = useLoaded<VideoHeatmapModel>(`/library/${libraryId}/videos/${video.guid}/heatmap`);
  const play = useLoaded<VideoPlayDataModel>(playDataPath(libraryId, video.guid));
  const range = useSignal<Range>({ fromSec: 0, toSec: Math.min(video.length, REPLAYED_SEC) });
  const title = useSignal(t('{0} (clip)', video.title));
  const making = useAction();
  const points = readHeat(heat.value.value?.heatmap ?? {}, video.length);
  const make = () =>
    making.run(async () => {
      const { fromSec, toSec } = range.value;
      const part = { videoId: video.guid, startMs: Math.round(fromSec * 1000), endMs: Math.round(toSec * 1000) };
      const body = { title: title.value, collectionId: video.collectionId, parts: [part] };
      const { guid } = await api<VideoModel>('POST', `/library/${libraryId}/videos/compose`, body);
      go({ name: 'video', libraryId, videoId: guid });
    });
  const most = mostWatched(points, video.length);
  const seekPath = play.value.value?.seekPath ?? null;
  const size = { width: video.width, height: video.height };
  return (
    <Panel title={t('Create a clip')} hint={t('Captions and chapters are included. The clip is ready within seconds.')}>
      <Band
        lengthSec={video.length}
        points={points}
        range={range.value}
        frames={
          seekPath !== null && video.thumbnailCount > 0 ? (
            <StoryboardFrames seekPath={seekPath} count={video.thumbnailCount} {...size} />
          ) : null
        }
        onRange={(to) => (range.value = to)}
        onSeek={link.seek}
      />
      <div class="row">
        <SecondField
          label={t('From')}
          value={range.value.fromSec}
          onChange={(fromSec) => (range.value = { ...range.value, fromSec })}
        />
        <SecondField
          label={t('To')}
          value={range.value.toSec}
          onChange={(toSec) => (range.value = { ...range.value, toSec })}
        />
        {most !== null && (
          <button type="button" onClick={() => (range.value = most)}>
            {t('Select the most watched {0} s', Math.round(most.toSec - most.fromSec))}
          </button>
        )}
        <button type="button" onClick={() => link.seek(range.value.fromSec)}>
          {t('Play clip')}
        </button>
      </div>
      {mayWrite() && (
        <div class="row new">
          <input
            aria-label={t('Clip title')}
            value={title.value}
            onInput={(event) => (title.value = event.currentTarget.value)}
          />
          <button
            type="button"
            class="primary"
            disabled={making.isBusy.value || range.value.toSec <= range.value.fromSec}
            onClick={make}
          >
            {t('Create clip ({0})', clock(range.value.toSec - range.value.fromSec))}
          </button>
        </div>
      )}
      {making.error.value !== null && <Notice kind="error">{making.error.value}</Notice>}
    </Panel>
  );
}

function SecondField({ label, value, onChange }: { label: string; value: number; onChange: (sec: number) => void }) {
  return (
    <label class="inline">
      {label}
      <input
        type="number"
        class="price"
        min={0}
        step={0.1}
        value={Math.round(value * 10) / 10}
        onInput={({ currentTarget: { valueAsNumber } }) => {
          if (Number.isFinite(valueAsNumber)) onChange(valueAsNumber);
        }}
      />
    </label>
  );
}

type BandProps = {
  lengthSec: number;
  points: readonly number[];
  range: Range;
  frames: ComponentChildren;
  onRange: (range: Range) => void;
  onSeek: (sec: number) => void;
};

/** The heatmap over time and the selected part, drawn by dragging. */
function Band({ lengthSec, points, range, frames, onRange, onSeek }: BandProps) {
  const anchor = useSignal<number | null>(null);
  const length = Math.max(1, lengthSec);
  const at = ({ currentTarget, clientX }: PointerEvent & { currentTarget: Element }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(length, Math.max(0, ((clientX - left) / width) * length));
  };
  const percent = (sec: number) => `${(sec / length) * 100}%`;
  const line = points.map((value, index) => `L${(index / Math.max(1, points.length - 1)) * 100},${31 - value * 0.3}`);
  return (
    <div
      class="band"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        anchor.value = at(event);
      }}
      onPointerMove={(event) => {
        if (anchor.value === null) return;
        const here = at(event);
        onRange({ fromSec: Math.min(anchor.value, here), toSec: Math.max(anchor.value, here) });
      }}
      onPointerUp={(event) => {
        if (anchor.value !== null && Math.abs(at(event) - anchor.value) < length / 200) onSeek(anchor.value);
        anchor.value = null;
      }}
    >
      {frames}
      <svg viewBox="0 0 100 32" preserveAspectRatio="none" aria-hidden="true">
        <path d={`M0,32 ${line.join(' ')} L100,32Z`} />
      </svg>
      <span class="band-range" style={{ left: percent(range.fromSec), width: percent(range.toSec - range.fromSec) }} />
    </div>
  );
}

/** Returns the heat of each hundredth of the video, 0 to 100. */
function readHeat(heatmap: Readonly<Record<string, number>>, lengthSec: number): number[] {
  const entries = Object.entries(heatmap).map(([at, value]) => ({ at: Number(at), value }));
  const last = Math.max(1, lengthSec, ...entries.map(({ at }) => at));
  const points = Array.from({ length: 100 }, () => 0);
  for (const { at, value } of entries) {
    const index = Math.min(99, Math.floor((at / last) * 100));
    points[index] = Math.max(points[index] ?? 0, value);
  }
  return points;
}

function mostWatched(points: readonly number[], lengthSec: number): Range | null {
  if (lengthSec <= REPLAYED_SEC || points.every((value) => value === 0)) return null;
  const width = Math.max(1, Math.round((REPLAYED_SEC / lengthSec) * 100));
  const sumAt = (from: number) => points.slice(from, from + width).reduce((sum, value) => sum + value, 0);
  const starts = Array.from({ length: 101 - width }, (_, from) => from);
  const best = starts.reduce((found, from) => (sumAt(from) > sumAt(found) ? from : found), 0);
  const fromSec = (best / 100) * lengthSec;
  return { fromSec, toSec: Math.min(lengthSec, fromSec + REPLAYED_SEC) };
}
