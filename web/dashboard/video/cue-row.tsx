import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { isTried } from '../base/drafts.ts';
import { t } from '../base/language.ts';
import { type Cue, readSec, writeSec } from './cues.ts';

type RowProps = {
  cue: Cue;
  /** Position in the list, from 0. */
  index: number;
  count: number;
  fault: string | null;
  isNow: boolean;
  isSelected: boolean;
  onChange: (changes: Partial<Cue>, key: string | null) => void;
  onSelect: () => void;
  onSeek: () => void;
  onRemove: () => void;
};

/** A caption line in a list. */
export function CueRow(props: RowProps) {
  const { cue, index, count, fault, isNow, isSelected, onChange, onSelect, onSeek, onRemove } = props;
  const line = index + 1;
  // A new line has no text yet, so its fault is shown only after the user has left it.
  const isEntered = useSignal(false);
  return (
    <li
      class={`cue${isNow ? ' now' : ''}${isSelected ? ' here' : ''}`}
      data-row={index}
      aria-setsize={count}
      aria-posinset={line}
      onFocusIn={() => {
        isEntered.value = true;
        onSelect();
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) isEntered.value = false;
      }}
    >
      <button type="button" class="quiet" aria-label={t('Play line {0}', line)} onClick={onSeek}>
        {line}
      </button>
      <TimeField
        label={t('Start of line {0}', line)}
        sec={cue.startSec}
        onChange={(startSec) => onChange({ startSec }, null)}
      />
      <TimeField
        label={t('End of line {0}', line)}
        sec={cue.endSec}
        onChange={(endSec) => onChange({ endSec }, null)}
      />
      <textarea
        aria-label={t('Text of line {0}', line)}
        dir="auto"
        rows={Math.max(1, cue.text.split('\n').length)}
        value={cue.text}
        onInput={({ currentTarget }) => onChange({ text: currentTarget.value }, `text ${index}`)}
      />
      <button type="button" class="quiet" aria-label={t('Remove line {0}', line)} onClick={onRemove}>
        ✕
      </button>
      {fault !== null && (isTried.value || !isEntered.value) && (
        <p class="tray-error" role="alert">
          {t('Line')} {line}: {fault}
        </p>
      )}
    </li>
  );
}

type FieldProps = { label: string; sec: number; onChange: (sec: number) => void };

/** A time in text. An invalid text stays as it was typed. */
function TimeField({ label, sec, onChange }: FieldProps) {
  const typed = useRef('');
  return (
    <input
      aria-label={label}
      class="time"
      value={Number.isNaN(sec) ? typed.current : writeSec(sec)}
      onChange={({ currentTarget }) => {
        typed.current = currentTarget.value;
        onChange(readSec(currentTarget.value));
      }}
    />
  );
}
