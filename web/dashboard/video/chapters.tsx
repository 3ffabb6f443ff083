import { api } from '../base/api.ts';
import { useDraft } from '../base/drafts.ts';
import { t } from '../base/language.ts';
import { mayWrite } from '../base/session.ts';
import { clock } from '../base/words.ts';
import { Panel } from '../parts/fields.tsx';
import { Generate } from './generate.tsx';
import type { PartProps } from './part-props.ts';

type Chapter = { title: string; start: number; end: number };
type Moment = { label: string; timestamp: number };

/** Chapters and moments on the timeline. A click plays from that position. */
export function Chapters({ path, video, link, onChanged }: PartProps) {
  const stored = {
    chapters: video.chapters.map(({ title, start = 0, end = 0 }): Chapter => ({ title, start, end })),
    moments: video.moments.map(({ label, timestamp = 0 }): Moment => ({ label, timestamp })),
  };
  const { value, resets, change } = useDraft(stored, {
    name: t('Chapters and moments'),
    async save(edits) {
      await api('POST', path, edits);
      onChanged();
    },
  });
  const { chapters, moments } = value;
  const now = Math.floor(link.timeSec.value);
  const addChapter = () => {
    const next = chapters.find(({ start }) => start > now);
    const added = { title: t('New chapter'), start: now, end: next?.start ?? video.length };
    const before = chapters.map((one) => (one.start < now && one.end > now ? { ...one, end: now } : one));
    change({ chapters: [...before, added].toSorted((first, second) => first.start - second.start) });
  };
  const addMoment = () => {
    const added = { label: t('New moment'), timestamp: now };
    change({ moments: [...moments, added].toSorted((first, second) => first.timestamp - second.timestamp) });
  };
  return (
    <div class="stack">
      <Timeline
        lengthSec={video.length}
        chapters={chapters}
        moments={moments}
        nowSec={link.timeSec.value}
        onSeek={link.seek}
      />
      {mayWrite() && (
        <div class="row">
          <button type="button" onClick={addChapter}>
            {t('Add chapter at {0}', clock(now))}
          </button>
          <button type="button" onClick={addMoment}>
            {t('Add moment at {0}', clock(now))}
          </button>
        </div>
      )}
      {mayWrite() && (
        <Generate path={path} video={video} what={['generateChapters', 'generateMoments']} onChanged={onChanged}>
          {t('Generate chapters and moments')}
        </Generate>
      )}
      <div class="columns">
        <Panel title={t('Chapters')}>
          {chapters.length === 0 && <p class="hint">{t('No chapters yet. Add one at the current position.')}</p>}
          {chapters.map((chapter, index) => (
            <TimedRow
              // Rows have no id, so their index identifies them.
              key={`${resets} ${index}`}
              name={t('chapter {0}', index + 1)}
              text={chapter.title}
              times={[chapter.start, chapter.end]}
              onText={(title) => change({ chapters: replaceAt(chapters, index, { ...chapter, title }) })}
              onTimes={([start = 0, end = 0]) =>
                change({ chapters: replaceAt(chapters, index, { ...chapter, start, end }) })
              }
              onRemove={() => change({ chapters: chapters.filter((_, at) => at !== index) })}
            />
          ))}
        </Panel>
        <Panel title={t('Moments')}>
          {moments.length === 0 && <p class="hint">{t('No moments yet. A moment is a named point in the video.')}</p>}
          {moments.map((moment, index) => (
            <TimedRow
              key={`${resets} ${index}`}
              name={t('moment {0}', index + 1)}
              text={moment.label}
              times={[moment.timestamp]}
              onText={(label) => change({ moments: replaceAt(moments, index, { ...moment, label }) })}
              onTimes={([timestamp = 0]) => change({ moments: replaceAt(moments, index, { ...moment, timestamp }) })}
              onRemove={() => change({ moments: moments.filter((_, at) => at !== index) })}
            />
          ))}
        </Panel>
      </div>
    </div>
  );
}

function replaceAt<T>(list: readonly T[], index: number, item: T): T[] {
  return list.map((one, at) => (at === index ? item : one));
}

type TimelineProps = {
  lengthSec: number;
  chapters: readonly Chapter[];
  moments: readonly Moment[];
  nowSec: number;
  onSeek: (sec: number) => void;
};

function Timeline({ lengthSec, chapters, moments, nowSec, onSeek }: TimelineProps) {
  const length = Math.max(1, lengthSec);
  const percent = (sec: number) => `${(Math.min(sec, length) / length) * 100}%`;
  return (
    <div class="timeline">
      <input
        type="range"
        aria-label={t('Position in the video')}
        min={0}
        max={length}
        step={1}
        value={nowSec}
        onInput={({ currentTarget: { valueAsNumber } }) => onSeek(valueAsNumber)}
      />
      {chapters.map(({ title, start, end }) => (
        <span
          key={`${start} ${title}`}
          class="timeline-chapter"
          style={{ left: percent(start), width: percent(end - start) }}
        >
          {title}
        </span>
      ))}
      {moments.map(({ label, timestamp }) => (
        <span
          key={`${timestamp} ${label}`}
          class="timeline-moment"
          title={label}
          style={{ left: percent(timestamp) }}
        />
      ))}
    </div>
  );
}

type RowProps = {
  name: string;
  text: string;
  times: readonly number[];
  onText: (text: string) => void;
  onTimes: (times: readonly number[]) => void;
  onRemove: () => void;
};

function TimedRow({ name, text, times, onText, onTimes, onRemove }: RowProps) {
  return (
    <div class="timed-row">
      <input
        aria-label={t('Name of {0}', name)}
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      {times.map((time, index) => (
        <input
          key={index === 0 ? 'begin' : 'end'}
          class="time"
          aria-label={t('{0} of {1}', index === 0 ? t('Beginning') : t('End'), name)}
          value={clock(time)}
          onChange={({ currentTarget }) =>
            onTimes(times.map((one, at) => (at === index ? readClock(currentTarget.value) : one)))
          }
        />
      ))}
      <button type="button" class="quiet" aria-label={t('Remove {0}', name)} onClick={onRemove}>
        ✕
      </button>
    </div>
  );
}

/** Reads `1:05` as seconds. 0 if it is not a time. */
function readClock(text: string): number {
  const parts = text.split(':').map(Number);
  return parts.some((part) => !Number.isFinite(part)) ? 0 : Math.round(parts.reduce((sec, part) => sec * 60 + part, 0));
}
