import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { VideoHeatmapModel, VideoPlayDataModel } from '../../../src/api/models/play-data.ts';
import type { VideoModel } from '../../../src/api/models/video.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { go } from '../base/router.ts';
import { may, mayWrite } from '../base/session.ts';
import { clock, videoState } from '../base/words.ts';
import { Panel } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { readSec } from './cues.ts';
import type { PartProps } from './part-props.ts';
import { playDataPath } from './play-data-path.ts';
import { limitTimes } from './timeline/model/limit-times.ts';
import { preciseClock } from './timeline/model/precise-clock.ts';
import type { Edge, Times } from './timeline/model/track.ts';
import { Timeline } from './timeline/timeline.tsx';
import { useHistory } from './timeline/use-history.ts';
import { useWaveform } from './timeline/use-waveform.ts';

type Range = { fromSec: number; toSec: number };

const REPLAYED_SEC = 30;
const CLIP_LIMITS = { firstSec: 0, minSec: 0.04, unitSec: 0.001 };
const SELECTION = { track: 0, index: 0 };

/**
 * Creates a new video from a part that the user selects on the timeline, or from the most watched part. Nothing is
 * encoded again.
 */
export function ClipMaker({ libraryId, video, link }: PartProps) {
  const heat = useHeat(libraryId, video.guid);
  const play = useLoaded<VideoPlayDataModel>(playDataPath(libraryId, video.guid));
  const waveform = useWaveform(libraryId, video.guid);
  const clip = useSignal<Range & { title: string }>({
    ...{ fromSec: 0, toSec: Math.min(video.length, REPLAYED_SEC) },
    title: t('{0} (clip)', video.title),
  });
  const { fromSec, toSec, title } = clip.value;
  const { change, ...undoing } = useHistory(clip.value, (to) => (clip.value = to), 0);
  const setRange = (range: Range, key: string | null) => change({ ...clip.value, ...range }, key);
  const lastSec = Math.max(video.length, waveform?.lengthSec ?? 0);
  const limit = (times: Times, edge: Edge): Range => {
    const { startSec, endSec } = limitTimes(times, edge, { ...CLIP_LIMITS, lastSec });
    return { fromSec: startSec, toSec: endSec };
  };
  const making = useAction();
  const isReady = videoState(video).tone === 'good';
  const points = readHeat(heat.value.value?.heatmap ?? {}, video.length);
  const make = () =>
    making.run(async () => {
      const part = { videoId: video.guid, startMs: Math.round(fromSec * 1000), endMs: Math.round(toSec * 1000) };
      const body = { title, collectionId: video.collectionId, parts: [part] };
      const { guid } = await api<VideoModel>('POST', `/library/${libraryId}/videos/compose`, body);
      go({ name: 'video', libraryId, videoId: guid });
    });
  const most = mostWatched(points, video.length);
  const playClip = usePlayUntil(link);
  return (
    <>
      <div class="stage-timeline">
        <Timeline
          video={video}
          link={link}
          waveform={waveform}
          seekPath={play.value.value?.seekPath ?? null}
          {...(points.some((value) => value > 0) && { heat: points })}
          tracks={[
            {
              items: [{ startSec: fromSec, endSec: toSec, label: clock(toSec - fromSec) }],
              isPoints: false,
              isCut: true,
              nameOf: () => t('clip'),
              onMove: (_, times, { edge, key }) => setRange(limit(times, edge), key),
            },
          ]}
          selection={SELECTION}
          onSelect={() => undefined}
          undoing={undoing}
        />
      </div>
      <div class="stage-list">
        <Panel
          title={t('Create a clip')}
          hint={t('Captions and chapters are included. The clip is ready within seconds.')}
        >
          <RangeFields {...{ fromSec, toSec, limit }} onChange={(range) => setRange(range, null)} />
          <div class="row">
            <button type="button" onClick={() => playClip(fromSec, toSec)}>
              {t('Play clip')}
            </button>
            {most !== null && (
              <button type="button" onClick={() => setRange(most, null)}>
                {t('Select the most watched {0} s', Math.round(most.toSec - most.fromSec))}
              </button>
            )}
          </div>
          {mayWrite() && (
            <div class="row new">
              <input
                aria-label={t('Clip title')}
                value={title}
                onInput={(event) => change({ ...clip.value, title: event.currentTarget.value }, 'title')}
              />
              <button
                type="button"
                class="primary"
                disabled={!isReady || making.isBusy.value || toSec <= fromSec}
                onClick={make}
              >
                {t('Create clip ({0})', clock(toSec - fromSec))}
              </button>
            </div>
          )}
          {!isReady && <p class="hint">{t('You can create the clip when encoding is done.')}</p>}
          {making.error.value !== null && <Notice kind="error">{making.error.value}</Notice>}
        </Panel>
      </div>
    </>
  );
}

/** Reads how often each part was watched, if the user may see statistics. */
function useHeat(libraryId: number, videoId: string) {
  const path = `/library/${libraryId}/videos/${videoId}/heatmap`;
  return useLoaded<VideoHeatmapModel>(may('statistics.read', libraryId) ? path : null);
}

/** Returns a function that plays from one position to another. */
function usePlayUntil(link: PartProps['link']): (fromSec: number, toSec: number) => void {
  const end = useSignal<Range | null>(null);
  useEffect(
    () =>
      link.timeSec.subscribe((sec) => {
        const { value: part } = end;
        if (part === null || (sec >= part.fromSec - 0.5 && sec < part.toSec)) return;
        end.value = null;
        // A position before the part belongs to another seek.
        if (sec >= part.toSec && sec < part.toSec + 1) link.pause();
      }),
    [link, end],
  );
  return (fromSec, toSec) => {
    link.seek(fromSec);
    end.value = { fromSec, toSec };
    link.play();
  };
}

type RangeFieldsProps = Range & {
  /** Returns the nearest range that is allowed. */
  limit: (times: Times, edge: Edge) => Range;
  onChange: (range: Range) => void;
};

/** Fields for both ends of the clip. */
function RangeFields({ fromSec, toSec, limit, onChange }: RangeFieldsProps) {
  return (
    <div class="row">
      <TimeField
        label={t('From')}
        value={fromSec}
        limit={(sec) => limit({ startSec: sec, endSec: toSec }, 'start').fromSec}
        onChange={(sec) => onChange({ fromSec: sec, toSec })}
      />
      <TimeField
        label={t('To')}
        value={toSec}
        limit={(sec) => limit({ startSec: fromSec, endSec: sec }, 'end').toSec}
        onChange={(sec) => onChange({ fromSec, toSec: sec })}
      />
    </div>
  );
}

type TimeFieldProps = {
  label: string;
  value: number;
  /** Returns the nearest time that is allowed. */
  limit: (sec: number) => number;
  onChange: (sec: number) => void;
};

function TimeField({ label, value, limit, onChange }: TimeFieldProps) {
  return (
    <label class="inline">
      {label}
      <input
        class="time"
        value={preciseClock(value)}
        onChange={({ currentTarget }) => {
          const typedSec = readSec(currentTarget.value);
          const sec = Number.isFinite(typedSec) ? limit(typedSec) : value;
          currentTarget.value = preciseClock(sec);
          if (sec !== value) onChange(sec);
        }}
      />
    </label>
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
