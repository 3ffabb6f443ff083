import { t } from '../base/language.ts';
import { clock } from '../base/words.ts';

type RowProps = {
  /** Position in the list, from 0. */
  index: number;
  name: string;
  text: string;
  /** Start, and end if it has one, in seconds. */
  times: readonly number[];
  isSelected: boolean;
  onSelect: () => void;
  onText: (text: string) => void;
  onTimes: (times: readonly number[]) => void;
  onPlay: () => void;
  onRemove: () => void;
};

/** A chapter or moment in a list. */
export function TimedRow(props: RowProps) {
  const { index: at, name, text, times, isSelected, onSelect, onText, onTimes, onPlay, onRemove } = props;
  return (
    <li class={isSelected ? 'timed-row here' : 'timed-row'} data-row={at} onFocusIn={onSelect}>
      <button type="button" class="quiet" aria-label={t('Play {0}', name)} onClick={onPlay}>
        ▸
      </button>
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
            onTimes(times.map((one, place) => (place === index ? readClock(currentTarget.value) : one)))
          }
        />
      ))}
      <button type="button" class="quiet" aria-label={t('Remove {0}', name)} onClick={onRemove}>
        ✕
      </button>
    </li>
  );
}

/** Reads `1:05` as seconds. 0 if it is not a time. */
function readClock(text: string): number {
  const parts = text.split(':').map(Number);
  return parts.some((part) => !Number.isFinite(part)) ? 0 : Math.round(parts.reduce((sec, part) => sec * 60 + part, 0));
}
