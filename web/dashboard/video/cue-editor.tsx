import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ApiError, api } from '../base/api.ts';
import { useDraft } from '../base/drafts.ts';
import { said, t } from '../base/language.ts';
import { CueRow } from './cue-row.tsx';
import { type Cue, findFaults, writeCues, writeSec } from './cues.ts';
import type { PartProps } from './part-props.ts';
import type { PlayerLink } from './player-frame.tsx';
import { RowWindow } from './row-window.tsx';
import { moveCue } from './timeline/model/move-cue.ts';
import type { Track } from './timeline/model/track.ts';
import { Timeline } from './timeline/timeline.tsx';
import { useHistory } from './timeline/use-history.ts';
import { useWaveform } from './timeline/use-waveform.ts';

type EditorProps = Pick<PartProps, 'libraryId' | 'video' | 'path' | 'link'> & {
  srclang: string;
  label: string;
  cues: readonly Cue[];
  seekPath: string | null;
  onSaved: () => void;
};
type Value = { cues: readonly Cue[] };

const NEW_SEC = 3;
const MIN_NEW_SEC = 0.5;
const ROW_PX = 88;

/** Caption lines with their times next to the video. An invalid line shows a reason, and is not sent. */
export function CueEditor(props: EditorProps) {
  const { libraryId, video, srclang, label, link } = props;
  const waveform = useWaveform(libraryId, video.guid);
  const lengthSec = Math.max(video.length, waveform?.lengthSec ?? 0);
  const { draft, refused } = useCues(props);
  const { cues } = draft.value;
  const { change: record, ...undoing } = useHistory<Value>(draft.value, draft.change, draft.resets);
  const change = (to: readonly Cue[], key: string | null = null) => record({ cues: to }, key);
  const faults = useMemo(() => findFaults(cues), [cues]);
  const items = useMemo(
    () => cues.map(({ startSec, endSec, text }) => ({ startSec, endSec, label: text.replaceAll('\n', ' ') })),
    [cues],
  );
  const track: Track = {
    items,
    isPoints: false,
    nameOf: (index) => t('line {0}', index + 1),
    onMove: (index, to, { edge, key }) => change(moveCue(cues, index, { to, edge, lengthSec }), key),
  };
  const selected = useSignal<number | null>(null);
  const list = useFocusOnNew();
  const now = useNow(link, cues);
  const add = () => {
    const added = newCue(cues, link.timeSec.peek());
    const sorted = [...cues, added].toSorted((first, second) => first.startSec - second.startSec);
    change(sorted);
    selected.value = sorted.indexOf(added);
    list.wanted.current = selected.value;
  };
  return (
    <>
      <div class="stage-timeline" ref={list.timeline}>
        <Timeline
          video={video}
          link={link}
          waveform={waveform}
          seekPath={props.seekPath}
          selection={selected.value === null ? null : { track: 0, index: selected.value }}
          onSelect={({ index }) => (selected.value = index)}
          undoing={undoing}
          tracks={[track]}
        />
      </div>
      <section class="panel cue-editor stage-list" aria-label={t('Captions in {0}', label)} ref={list.section}>
        <div class="row spread">
          <h2>{label || srclang}</h2>
          <AddButton timeSec={link.timeSec} onAdd={add} />
        </div>
        <Refused lines={refused.value} />
        {cues.length === 0 && <p class="hint">{t('No lines yet. Add one at the current position.')}</p>}
        <CueList {...{ cues, faults, change, selected, now, link }} resets={draft.resets} />
      </section>
    </>
  );
}

/** Lines that the service did not accept. */
function Refused({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <ul class="tray-error">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

type ListProps = {
  cues: readonly Cue[];
  faults: ReadonlyMap<number, string>;
  change: (to: readonly Cue[], key?: string | null) => void;
  selected: Signal<number | null>;
  now: Signal<number>;
  link: PlayerLink;
  resets: number;
};

function CueList({ cues, faults, change, selected, now, link, resets }: ListProps) {
  const row = (index: number) => {
    const cue = cues[index] ?? { startSec: 0, endSec: 0, text: '' };
    return (
      <CueRow
        // Lines have no id, so their index identifies them.
        key={`${resets} ${index}`}
        cue={cue}
        index={index}
        count={cues.length}
        fault={faults.get(index) ?? null}
        isNow={now.value === index}
        isSelected={selected.value === index}
        onChange={(changes, key) => {
          const changed = cues.map((one, at) => (at === index ? { ...one, ...changes } : one));
          change(changed, key);
        }}
        onSelect={() => (selected.value = index)}
        onSeek={() => link.seek(cue.startSec)}
        onRemove={() => change(cues.filter((_, at) => at !== index))}
      />
    );
  };
  return <RowWindow class="cues" count={cues.length} rowPx={ROW_PX} shown={selected.value} row={row} />;
}

/** Keeps the edited lines. `refused` lists the lines that the service did not accept. */
function useCues({ cues, srclang, label, path, onSaved }: EditorProps) {
  const refused = useSignal<readonly string[]>([]);
  const draft = useDraft<Value>(
    { cues },
    {
      name: t('Captions in {0}', label),
      findFault: (value) => (findFaults(value.cues).size > 0 ? t('Correct the marked lines first.') : null),
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
  return { draft, refused };
}

/** Returns the line at the position of the player. -1 without one. */
function useNow(link: PlayerLink, cues: readonly Cue[]): Signal<number> {
  const lines = useSignal(cues);
  lines.value = cues;
  return useComputed(() => {
    const sec = link.timeSec.value;
    return lines.value.findIndex(({ startSec, endSec }) => sec >= startSec && sec < endSec);
  });
}

/** Scrolls to the editor when it opens, and moves the focus to a new line as soon as it is drawn. */
function useFocusOnNew() {
  const timeline = useRef<HTMLDivElement>(null);
  const section = useRef<HTMLElement>(null);
  const wanted = useRef<number | null>(null);
  useEffect(() => timeline.current?.scrollIntoView({ block: 'nearest' }), []);
  useEffect(() => {
    if (wanted.current === null) return;
    const field = section.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"] textarea`);
    if (!field) return;
    wanted.current = null;
    field.focus();
  });
  return { timeline, section, wanted };
}

/** Returns an empty line at a position, which ends before the next line starts. */
function newCue(cues: readonly Cue[], sec: number): Cue {
  const startSec = Math.round(sec * 1000) / 1000;
  const next = Math.min(...cues.map((cue) => cue.startSec).filter((start) => start >= startSec + MIN_NEW_SEC));
  return { startSec, endSec: Math.min(startSec + NEW_SEC, next), text: '' };
}

function AddButton({ timeSec, onAdd }: { timeSec: Signal<number>; onAdd: () => void }) {
  return (
    <button type="button" onClick={onAdd}>
      {t('Add line at {0}', writeSec(timeSec.value).slice(3, 8))}
    </button>
  );
}

type Place = Pick<EditorProps, 'srclang' | 'label' | 'path'>;

async function saveCues(cues: readonly Cue[], { srclang, label, path }: Place): Promise<void> {
  const bytes = new TextEncoder().encode(writeCues(cues));
  const captionsFile = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  await api('POST', `${path}/captions/${srclang}`, { srclang, label, captionsFile });
}

/** Returns the error list of the service's validation, which names the refused lines. */
function readErrorList(reason: unknown): string[] {
  if (!(reason instanceof ApiError)) return [];
  const { data }: { data?: { errorList?: unknown } } = Object(reason.body);
  return Array.isArray(data?.errorList) ? data.errorList.map((line) => said(String(line))) : [];
}
