import { useSignal } from '@preact/signals';
import { ApiError, api } from '../base/api.ts';
import { useDraft } from '../base/drafts.ts';
import { t } from '../base/language.ts';
import { type Cue, findFaults, readSec, writeCues, writeSec } from './cues.ts';
import type { PlayerLink } from './player-frame.tsx';

type EditorProps = {
  srclang: string;
  label: string;
  cues: readonly Cue[];
  path: string;
  link: PlayerLink;
  onSaved: () => void;
};

const NEW_SEC = 3;

/** Caption lines with their times next to the video. An invalid line shows a reason, and is not sent. */
export function CueEditor({ srclang, label, cues: start, path, link, onSaved }: EditorProps) {
  const refused = useSignal<readonly string[]>([]);
  const { value, resets, change } = useDraft(
    { cues: start },
    {
      name: t('Captions in {0}', label),
      findFault: ({ cues }) => (findFaults(cues).size > 0 ? t('Correct the marked lines first.') : null),
      async save(_, edited) {
        refused.value = [];
        try {
          await saveCues(edited.cues, { srclang, label, path });
        } catch (reason) {
          refused.value = readErrorList(reason);
          throw reason;
        }
        onSaved();
      },
    },
  );
  const { cues } = value;
  const faults = findFaults(cues);
  const changeCue = (index: number, changes: Partial<Cue>) =>
    change({ cues: cues.map((cue, at) => (at === index ? { ...cue, ...changes } : cue)) });
  const add = () => {
    const startSec = Math.round(link.timeSec.value * 1000) / 1000;
    const added = { startSec, endSec: startSec + NEW_SEC, text: '' };
    change({ cues: [...cues, added].toSorted((first, second) => first.startSec - second.startSec) });
  };
  return (
    <section class="panel cue-editor" aria-label={t('Captions in {0}', label)}>
      <div class="row spread">
        <h2>{label}</h2>
        <button type="button" onClick={add}>
          {t('Add line at {0}', writeSec(link.timeSec.value).slice(3, 8))}
        </button>
      </div>
      {refused.value.length > 0 && (
        <ul class="tray-error">
          {refused.value.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      <ol class="cues">
        {cues.map((cue, index) => (
          <CueRow
            // Lines have no id, so their index identifies them.
            key={`${resets} ${index}`}
            cue={cue}
            line={index + 1}
            fault={faults.get(index) ?? null}
            isNow={link.timeSec.value >= cue.startSec && link.timeSec.value < cue.endSec}
            onChange={(changes) => changeCue(index, changes)}
            onSeek={() => link.seek(cue.startSec)}
            onRemove={() => change({ cues: cues.filter((_, at) => at !== index) })}
          />
        ))}
      </ol>
    </section>
  );
}

type RowProps = {
  cue: Cue;
  line: number;
  fault: string | null;
  isNow: boolean;
  onChange: (changes: Partial<Cue>) => void;
  onSeek: () => void;
  onRemove: () => void;
};

function CueRow({ cue, line, fault, isNow, onChange, onSeek, onRemove }: RowProps) {
  return (
    <li class={isNow ? 'cue now' : 'cue'}>
      <button type="button" class="quiet" aria-label={t('Play line {0}', line)} onClick={onSeek}>
        {line}
      </button>
      <input
        aria-label={t('Start of line {0}', line)}
        class="time"
        defaultValue={writeSec(cue.startSec)}
        onChange={({ currentTarget }) => onChange({ startSec: readSec(currentTarget.value) })}
      />
      <input
        aria-label={t('End of line {0}', line)}
        class="time"
        defaultValue={writeSec(cue.endSec)}
        onChange={({ currentTarget }) => onChange({ endSec: readSec(currentTarget.value) })}
      />
      <textarea
        aria-label={t('Text of line {0}', line)}
        rows={Math.max(1, cue.text.split('\n').length)}
        value={cue.text}
        onInput={({ currentTarget }) => onChange({ text: currentTarget.value })}
      />
      <button type="button" class="quiet" aria-label={t('Remove line {0}', line)} onClick={onRemove}>
        ✕
      </button>
      {fault !== null && (
        <p class="tray-error" role="alert">
          {t('Line')} {line}: {fault}
        </p>
      )}
    </li>
  );
}

type Track = Pick<EditorProps, 'srclang' | 'label' | 'path'>;

async function saveCues(cues: readonly Cue[], { srclang, label, path }: Track): Promise<void> {
  const bytes = new TextEncoder().encode(writeCues(cues));
  const captionsFile = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  await api('POST', `${path}/captions/${srclang}`, { srclang, label, captionsFile });
}

/** Returns the error list of the service's validation, which names the refused lines. */
function readErrorList(reason: unknown): string[] {
  if (!(reason instanceof ApiError)) return [];
  const { data }: { data?: { errorList?: unknown } } = Object(reason.body);
  return Array.isArray(data?.errorList) ? data.errorList.map(String) : [];
}
