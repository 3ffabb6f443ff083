import { type Signal, useSignal } from '@preact/signals';
import type { VideoPlayDataModel } from '../../../src/api/models/play-data.ts';
import { api } from '../base/api.ts';
import { useDraft } from '../base/drafts.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { mayWrite } from '../base/session.ts';
import { clock } from '../base/words.ts';
import { Panel } from '../parts/fields.tsx';
import { Generate } from './generate.tsx';
import type { PartProps } from './part-props.ts';
import { playDataPath } from './play-data-path.ts';
import { RowWindow } from './row-window.tsx';
import { TimedRow } from './timed-row.tsx';
import { moveChapter } from './timeline/model/move-chapter.ts';
import type { Selection, Track } from './timeline/model/track.ts';
import { Timeline } from './timeline/timeline.tsx';
import { useHistory } from './timeline/use-history.ts';
import { useWaveform } from './timeline/use-waveform.ts';

type Chapter = { title: string; start: number; end: number };
type Moment = { label: string; timestamp: number };
type Stored = { chapters: Chapter[]; moments: Moment[] };

/** Changes a field, with the key of the change (see `recordChange`). */
type Change = (edits: Partial<Stored>, key?: string | null) => void;

/** Number of a track on the timeline. */
const CHAPTERS = 0;
const MOMENTS = 1;
const ROW_PX = 46;

/** Chapters and moments on the timeline, and as a list. */
export function Chapters({ libraryId, path, video, link, onChanged }: PartProps) {
  const play = useLoaded<VideoPlayDataModel>(playDataPath(libraryId, video.guid));
  const waveform = useWaveform(libraryId, video.guid);
  const draft = useDraft(readStored(video), {
    name: t('Chapters and moments'),
    async save(edits) {
      await api('POST', path, edits);
      onChanged();
    },
  });
  const { value, resets } = draft;
  const { change: record, ...undoing } = useHistory<Stored>(value, draft.change, resets);
  const change: Change = (edits, key = null) => record({ ...value, ...edits }, key);
  const selection = useSignal<Selection | null>(null);
  const lengthSec = Math.max(video.length, waveform?.lengthSec ?? 0);
  const select = (track: number, index: number) => {
    selection.value = { track, index };
  };
  const shared = { value, change, resets, selection, select, onPlay: link.seek };
  return (
    <>
      <div class="stage-timeline">
        <Timeline
          video={video}
          link={link}
          waveform={waveform}
          seekPath={play.value.value?.seekPath ?? null}
          selection={selection.value}
          onSelect={({ track, index }) => select(track, index)}
          undoing={mayWrite() ? undoing : null}
          tracks={[chapterTrack(value, lengthSec, change), momentTrack(value, change)]}
        />
      </div>
      <div class="stage-list">
        {mayWrite() && (
          <AddButtons nowSec={link.timeSec} lengthSec={video.length} value={value} change={change} select={select} />
        )}
        <ChapterList {...shared} />
        <MomentList {...shared} />
      </div>
      {mayWrite() && (
        <div class="stage-rest">
          <Generate path={path} video={video} what={['generateChapters', 'generateMoments']} onChanged={onChanged}>
            {t('Generate chapters and moments')}
          </Generate>
        </div>
      )}
    </>
  );
}

function readStored({ chapters, moments }: PartProps['video']): Stored {
  return {
    chapters: chapters.map(({ title, start = 0, end = 0 }) => ({ title, start, end })),
    moments: moments.map(({ label, timestamp = 0 }) => ({ label, timestamp })),
  };
}

function chapterTrack({ chapters }: Stored, lengthSec: number, change: Change): Track {
  return {
    items: chapters.map(({ title, start, end }) => ({ startSec: start, endSec: end, label: title })),
    isPoints: false,
    nameOf: (index) => t('chapter {0}', index + 1),
    onMove: mayWrite()
      ? (index, to, { edge, key }) => change({ chapters: moveChapter(chapters, index, { to, edge, lengthSec }) }, key)
      : null,
  };
}

function momentTrack({ moments }: Stored, change: Change): Track {
  return {
    items: moments.map(({ label, timestamp }) => ({ startSec: timestamp, endSec: timestamp, label })),
    isPoints: true,
    nameOf: (index) => t('moment {0}', index + 1),
    onMove: mayWrite()
      ? (index, { startSec }, { key }) =>
          change({ moments: changeAt(moments, index, { timestamp: Math.round(startSec) }) }, key)
      : null,
  };
}

type ListProps = {
  value: Stored;
  change: Change;
  resets: number;
  selection: Signal<Selection | null>;
  select: (track: number, index: number) => void;
  onPlay: (sec: number) => void;
};

/** Returns the selected row of a track. Null without one. */
function selectedIn(track: number, { value }: Signal<Selection | null>): number | null {
  return value?.track === track ? value.index : null;
}

function ChapterList({ value: { chapters }, change, resets, selection, select, onPlay }: ListProps) {
  const selected = selectedIn(CHAPTERS, selection);
  const row = (index: number) => {
    const { title, start, end } = chapters[index] ?? { title: '', start: 0, end: 0 };
    const set = (to: Partial<Chapter>, key: string | null = null) =>
      change({ chapters: changeAt(chapters, index, to) }, key);
    return (
      <TimedRow
        // Rows have no id, so their index identifies them.
        key={`${resets} ${index}`}
        index={index}
        name={t('chapter {0}', index + 1)}
        text={title}
        times={[start, end]}
        isSelected={selected === index}
        onSelect={() => select(CHAPTERS, index)}
        onText={(text) => set({ title: text }, `title ${index}`)}
        onTimes={([from = 0, to = 0]) => set({ start: from, end: to })}
        onPlay={() => onPlay(start)}
        onRemove={() => change({ chapters: chapters.filter((_, at) => at !== index) })}
      />
    );
  };
  return (
    <Panel title={t('Chapters')}>
      {chapters.length === 0 && (
        <p class="hint">
          {mayWrite() ? t('No chapters yet. Add one at the current position.') : t('No chapters yet.')}
        </p>
      )}
      <RowWindow class="timed-rows" count={chapters.length} rowPx={ROW_PX} shown={selected} row={row} />
    </Panel>
  );
}

function MomentList({ value: { moments }, change, resets, selection, select, onPlay }: ListProps) {
  const selected = selectedIn(MOMENTS, selection);
  const row = (index: number) => {
    const { label, timestamp } = moments[index] ?? { label: '', timestamp: 0 };
    const set = (to: Partial<Moment>, key: string | null = null) =>
      change({ moments: changeAt(moments, index, to) }, key);
    return (
      <TimedRow
        key={`${resets} ${index}`}
        index={index}
        name={t('moment {0}', index + 1)}
        text={label}
        times={[timestamp]}
        isSelected={selected === index}
        onSelect={() => select(MOMENTS, index)}
        onText={(text) => set({ label: text }, `label ${index}`)}
        onTimes={([at = 0]) => set({ timestamp: at })}
        onPlay={() => onPlay(timestamp)}
        onRemove={() => change({ moments: moments.filter((_, at) => at !== index) })}
      />
    );
  };
  return (
    <Panel title={t('Moments')}>
      {moments.length === 0 && <p class="hint">{t('No moments yet. A moment is a named point in the video.')}</p>}
      <RowWindow class="timed-rows" count={moments.length} rowPx={ROW_PX} shown={selected} row={row} />
    </Panel>
  );
}

type AddProps = {
  nowSec: Signal<number>;
  lengthSec: number;
  value: Stored;
  change: Change;
  select: (track: number, index: number) => void;
};

/** Adds a chapter or a moment at the position of the player, and selects it. */
function AddButtons({ nowSec, lengthSec, value: { chapters, moments }, change, select }: AddProps) {
  const now = Math.floor(nowSec.value);
  const addChapter = () => {
    const next = chapters.find(({ start }) => start > now);
    const added = { title: t('New chapter'), start: now, end: next?.start ?? lengthSec };
    const before = chapters.map((one) => (one.start < now && one.end > now ? { ...one, end: now } : one));
    const sorted = [...before, added].toSorted((first, second) => first.start - second.start);
    change({ chapters: sorted });
    select(CHAPTERS, sorted.indexOf(added));
  };
  const addMoment = () => {
    const added = { label: t('New moment'), timestamp: now };
    const sorted = [...moments, added].toSorted((first, second) => first.timestamp - second.timestamp);
    change({ moments: sorted });
    select(MOMENTS, sorted.indexOf(added));
  };
  return (
    <div class="row">
      <button type="button" onClick={addChapter}>
        {t('Add chapter at {0}', clock(now))}
      </button>
      <button type="button" onClick={addMoment}>
        {t('Add moment at {0}', clock(now))}
      </button>
    </div>
  );
}

function changeAt<T>(list: readonly T[], index: number, changes: Partial<T>): T[] {
  return list.map((one, at) => (at === index ? { ...one, ...changes } : one));
}
