import { useSignal } from '@preact/signals';
import type { CaptionValidationModel } from '../../../sdk/src/operations.table.ts';
import type { VideoPlayDataModel } from '../../../src/api/models/play-data.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { leaveThen } from '../base/drafts.ts';
import { language as shownLanguage, t, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { mayWrite, session } from '../base/session.ts';
import { languageName } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Panel, SelectField } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { isLanguage, LanguageField } from '../parts/pickers.tsx';
import { CueEditor } from './cue-editor.tsx';
import { type Cue, readCues } from './cues.ts';
import { LeftOutList } from './left-out-list.tsx';
import type { PartProps } from './part-props.ts';
import { playDataPath } from './play-data-path.ts';
import { Transcribe } from './transcribe.tsx';

type AddedCaptions = { data: Pick<CaptionValidationModel, 'warningList'> };
type Edited = { srclang: string; label: string; cues: readonly Cue[] };

/** The languages of a video's captions, and an editor next to the video. */
export function Captions({ libraryId, path, video, link, onChanged }: PartProps) {
  const play = useLoaded<VideoPlayDataModel>(playDataPath(libraryId, video.guid));
  const edited = useSignal<Edited | null>(null);
  const removed = useSignal<{ srclang: string; label: string } | null>(null);
  const running = useAction();
  const open = (srclang: string, label: string, version: number) =>
    running.run(async () => {
      const answer = await fetch(`${play.value.value?.captionsPath ?? ''}${srclang}.vtt?ver=${version}`);
      if (!answer.ok) {
        await answer.body?.cancel();
        throw new Error(t('The captions could not be read (status {0}).', answer.status));
      }
      edited.value = { srclang, label, cues: readCues(await answer.text()) };
    });
  const remove = (srclang: string) =>
    running.run(async () => {
      await api('DELETE', `${path}/captions/${srclang}`);
      onChanged();
    });
  return (
    <>
      <div class={edited.value === null ? 'stage-list' : 'stage-rest'}>
        <Panel title={t('Languages')}>
          {video.captions.length === 0 && (
            <p class="hint">
              {!mayWrite()
                ? t('No captions yet.')
                : session.value?.engines.speech === true
                  ? t('No captions yet. Add a VTT or SRT file, write captions here, or transcribe the audio.')
                  : t('No captions yet. Add a VTT or SRT file, or write captions here.')}
            </p>
          )}
          <LeftOutList video={video} kind="captions" />
          <ul class="rows">
            {video.captions.map(({ srclang, label, version }) => (
              <li key={srclang}>
                <span>
                  {label} <span class="hint">{srclang}</span>
                </span>
                {mayWrite() && (
                  <span class="row">
                    <button
                      type="button"
                      aria-label={t('Edit {0}', label || srclang || '')}
                      disabled={play.value.value === null}
                      onClick={() => leaveThen(() => void open(srclang ?? '', label ?? '', version))}
                    >
                      {t('Edit')}
                    </button>
                    <button
                      type="button"
                      class="quiet"
                      aria-label={t('Remove {0}', label || srclang || '')}
                      onClick={() => (removed.value = { srclang: srclang ?? '', label: label || srclang || '' })}
                    >
                      {t('Remove')}
                    </button>
                  </span>
                )}
              </li>
            ))}
          </ul>
          {mayWrite() && (
            <AddCaption
              path={path}
              taken={video.captions.map(({ srclang }) => srclang ?? '')}
              onChanged={onChanged}
              onWrite={(start) => leaveThen(() => (edited.value = start))}
            />
          )}
          {removed.value !== null && (
            <LossDialog
              title={t('Remove the captions in {0}?', removed.value.label)}
              action={t('Remove captions')}
              onConfirm={() => void remove(removed.value?.srclang ?? '')}
              onClose={() => (removed.value = null)}
            />
          )}
          {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
        </Panel>
      </div>
      {edited.value !== null && (
        <CueEditor
          key={edited.value.srclang}
          {...edited.value}
          {...{ libraryId, video, path, link }}
          seekPath={play.value.value?.seekPath ?? null}
          onSaved={onChanged}
        />
      )}
    </>
  );
}

/**
 * Purposes of captions. Each has the suffix of the track in URLs, the text of the choice, and the suffix of the
 * track's name.
 */
const KINDS = [
  ['', 'Subtitles', ''],
  ['-sdh', 'Subtitles with sounds (SDH)', ' (SDH)'],
  ['-forced', 'Foreign speech only (forced)', ' (forced)'],
] as const;

type LossProps = { title: string; action: string; onConfirm: () => void; onClose: () => void };

/** Asks before captions are lost. */
function LossDialog({ title, action, onConfirm, onClose }: LossProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{t('All lines with their corrections are deleted. This cannot be undone.')}</p>
      <div class="row end">
        <button type="button" onClick={onClose}>
          {t('Cancel')}
        </button>
        <button
          type="button"
          class="bad"
          onClick={() => {
            onConfirm();
            onClose();
          }}
        >
          {action}
        </button>
      </div>
    </Dialog>
  );
}

type AddProps = {
  path: string;
  /** Languages, with purposes, that already have captions. */
  taken: readonly string[];
  onChanged: () => void;
  onWrite: (start: Edited) => void;
};

function AddCaption({ path, taken, onChanged, onWrite }: AddProps) {
  const language = useSignal<string>(shownLanguage.value);
  const replacing = useSignal<File | null>(null);
  const kind = useSignal('');
  const adding = useAction();
  const warnings = useSignal<readonly string[]>([]);
  const srclang = language.value + kind.value;
  const label = languageName(language.value) + (KINDS.find(([suffix]) => suffix === kind.value)?.[2] ?? '');
  const isTaken = taken.includes(srclang);
  const add = (file: File) => {
    warnings.value = [];
    void adding.run(async () => {
      const bytes = Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte)).join('');
      const body = { srclang, label, captionsFile: btoa(bytes) };
      const { data } = await api<AddedCaptions>('POST', `${path}/captions/${srclang}`, body);
      warnings.value = data.warningList ?? [];
      onChanged();
    });
  };
  return (
    <>
      <div class="row ends">
        <LanguageField label={t('Language')} code={language.value} onChange={(code) => (language.value = code)} />
        <SelectField
          label={t('Purpose')}
          value={kind.value}
          choices={trAll(KINDS).map(([suffix, text]) => [suffix, text] as const)}
          onChange={(suffix) => (kind.value = suffix)}
        />
        <label class="button">
          {isTaken ? t('Replace with file') : t('Add file')}
          <input
            type="file"
            class="unseen"
            accept=".vtt,.srt"
            disabled={!isLanguage(language.value)}
            onChange={({ currentTarget }) => {
              const file = currentTarget.files?.[0] ?? null;
              if (isTaken) replacing.value = file;
              else if (file !== null) add(file);
              // Resets the input, so that a corrected file can be chosen again.
              currentTarget.value = '';
            }}
          />
        </label>
        {!isTaken && (
          <button
            type="button"
            disabled={!isLanguage(language.value)}
            onClick={() => onWrite({ srclang, label, cues: [] })}
          >
            {t('Write captions')}
          </button>
        )}
      </div>
      {replacing.value !== null && (
        <LossDialog
          title={t('Replace the captions in {0}?', label)}
          action={t('Replace captions')}
          onConfirm={() => {
            if (replacing.value !== null) add(replacing.value);
          }}
          onClose={() => (replacing.value = null)}
        />
      )}
      <Transcribe path={path} onChanged={onChanged} />
      {adding.error.value !== null && <Notice kind="error">{adding.error.value}</Notice>}
      {warnings.value.length > 0 && (
        <Notice kind="warn">
          {t('The captions were added. Check their text.')} {warnings.value.join(' ')}
        </Notice>
      )}
    </>
  );
}
