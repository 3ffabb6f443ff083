import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AudioPurpose, AudioTrackList, AudioTrackModel } from '../../../src/api/models/audio-track.ts';
import { type RunningAction, useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { said, t, tr, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { mayWrite } from '../base/session.ts';
import { languageName } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Check, Panel, SelectField, TextField } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { LanguageField } from '../parts/pickers.tsx';
import { toast } from '../parts/toasts.tsx';
import { LeftOutList } from './left-out-list.tsx';
import type { PartProps } from './part-props.ts';

const PURPOSES = [
  ['main', 'Main sound'],
  ['commentary', 'Commentary'],
  ['description', 'Audio description'],
] as const satisfies readonly (readonly [AudioPurpose, string])[];

const STATES: Record<AudioTrackModel['state'], { word: string; tone: string } | null> = {
  ready: null,
  processing: { word: 'Encoding', tone: 'busy' },
  replacing: { word: 'Being replaced', tone: 'busy' },
  failed: { word: 'Failed', tone: 'bad' },
};

/** The audio tracks of a video: languages, commentaries and audio descriptions. */
export function AudioTracks({ path, video, onChanged }: PartProps) {
  const { value, error, again } = useLoaded<AudioTrackList>(`${path}/audio-tracks`);
  // The page reads the video again with each step of its encoding.
  useEffect(again, [video.status, video.encodeProgress, video.storageSize]);
  const tracks = value.value?.items ?? null;
  const changed = () => {
    again();
    onChanged();
  };
  return (
    <div class="columns">
      <Panel title={t('Audio tracks')} hint={t('Viewers choose a track in the menu of the player.')}>
        {error.value !== null && <Notice kind="error">{error.value}</Notice>}
        {tracks?.length === 0 && <p class="hint">{t('This video has no audio track.')}</p>}
        <LeftOutList video={video} kind="audio" />
        <ul class="rows">
          {tracks?.map((track) => (
            <TrackRow key={track.trackId} path={path} track={track} isLast={tracks.length === 1} onChanged={changed} />
          ))}
        </ul>
      </Panel>
      {mayWrite() && tracks !== null && <AddTrack path={path} tracks={tracks} onChanged={changed} />}
    </div>
  );
}

type RowProps = { path: string; track: AudioTrackModel; isLast: boolean; onChanged: () => void };

function TrackRow({ path, track, isLast, onChanged }: RowProps) {
  const open = useSignal<'edit' | 'remove' | null>(null);
  const replacing = useAction();
  const { trackId, title, state, message } = track;
  const status = STATES[state];
  const replace = (file: File | undefined) => {
    if (file === undefined) return;
    void replacing.run(async () => {
      await api('PUT', `${path}/audio-tracks/${trackId}`, file);
      toast(t('The new audio is being encoded. Viewers hear the previous version until it is ready.'));
      onChanged();
    });
  };
  return (
    <li class="track">
      <span class="stack tight">
        <span class="row">
          {title}
          {track.isDefault && <span class="chip good">{t('Default')}</span>}
          {status !== null && <span class={`chip ${status.tone}`}>{tr(status.word)}</span>}
        </span>
        <span class="hint">{describe(track)}</span>
        {message !== null && <span class="hint">{said(message)}</span>}
      </span>
      {mayWrite() && (
        <span class="row">
          <button type="button" aria-label={t('Edit {0}', title)} onClick={() => (open.value = 'edit')}>
            {t('Edit')}
          </button>
          <FileButton label={t('Replace')} name={t('Replace {0}', title)} running={replacing} onFile={replace} />
          <button
            type="button"
            class="quiet"
            aria-label={t('Remove {0}', title)}
            onClick={() => (open.value = 'remove')}
          >
            {t('Remove')}
          </button>
        </span>
      )}
      {replacing.error.value !== null && <Notice kind="error">{replacing.error.value}</Notice>}
      {open.value === 'edit' && (
        <EditTrack path={path} track={track} onChanged={onChanged} onClose={() => (open.value = null)} />
      )}
      {open.value === 'remove' && (
        <RemoveTrack {...{ path, track, isLast, onChanged }} onClose={() => (open.value = null)} />
      )}
    </li>
  );
}

/** Language, purpose and origin of a track, in words. */
function describe({ language, purpose, origin }: AudioTrackModel): string {
  const purposeName = PURPOSES.find(([value]) => value === purpose)?.[1] ?? '';
  const words = [language === 'und' ? t('Unknown language') : languageName(language), tr(purposeName)];
  return [...words, origin === 'file' ? t('from the video file') : t('added')].join(' · ');
}

type FileProps = { label: string; name: string; running: RunningAction; onFile: (file: File | undefined) => void };

/** A button that asks for an audio file. */
function FileButton({ label, name, running, onFile }: FileProps) {
  return (
    <label class={`button ${running.isBusy.value ? 'busy' : ''}`}>
      {running.isBusy.value ? t('Sending…') : label}
      <input
        type="file"
        class="unseen"
        aria-label={name}
        accept="audio/*,.mka,.mkv,.mp4,.m4a"
        disabled={running.isBusy.value}
        onChange={({ currentTarget }) => {
          onFile(currentTarget.files?.[0]);
          currentTarget.value = '';
        }}
      />
    </label>
  );
}

type DialogProps = { path: string; track: AudioTrackModel; onChanged: () => void; onClose: () => void };

function EditTrack({ path, track, onChanged, onClose }: DialogProps) {
  const title = useSignal(track.title);
  const language = useSignal(track.language === 'und' ? '' : track.language);
  const purpose = useSignal<string>(track.purpose);
  const isDefault = useSignal(track.isDefault);
  const saving = useAction();
  const save = (event: Event) => {
    event.preventDefault();
    const becomesDefault = isDefault.value && !track.isDefault;
    const body = {
      ...{ title: title.value, language: language.value, purpose: purpose.value },
      ...(becomesDefault && { isDefault: true }),
    };
    void saving.run(async () => {
      await api('POST', `${path}/audio-tracks/${track.trackId}`, body);
      onChanged();
      onClose();
    });
  };
  return (
    <Dialog title={t('Edit {0}', track.title)} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <TextField label={t('Title')} value={title.value} onChange={(text) => (title.value = text)} />
        <LanguageField
          label={t('Language')}
          code={language.value}
          none={t('Unknown language')}
          onChange={(code) => (language.value = code)}
        />
        <PurposeField value={purpose.value} onChange={(value) => (purpose.value = value)} />
        {!track.isDefault && (
          <Check
            label={t('Default track in players')}
            value={isDefault.value}
            onChange={(isOn) => (isDefault.value = isOn)}
          />
        )}
        {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
        <div class="row end">
          <button type="submit" disabled={saving.isBusy.value}>
            {t('Save')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function PurposeField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return <SelectField label={t('Purpose')} value={value} choices={trAll(PURPOSES)} onChange={onChange} />;
}

function RemoveTrack({ path, track, isLast, onChanged, onClose }: DialogProps & { isLast: boolean }) {
  const removing = useAction();
  const remove = () =>
    removing.run(async () => {
      await api('DELETE', `${path}/audio-tracks/${track.trackId}${isLast ? '?allowNone=true' : ''}`);
      onChanged();
      onClose();
    });
  return (
    <Dialog title={t('Remove {0}', track.title)} onClose={onClose}>
      <p>
        {isLast
          ? t('This is the last audio track. Without it the video has no sound.')
          : t('Viewers can no longer choose this track. Its file is deleted.')}
      </p>
      {removing.error.value !== null && <Notice kind="error">{removing.error.value}</Notice>}
      <div class="row end">
        <button type="button" class="bad" disabled={removing.isBusy.value} onClick={remove}>
          {t('Remove track')}
        </button>
      </div>
    </Dialog>
  );
}

type AddProps = { path: string; tracks: readonly AudioTrackModel[]; onChanged: () => void };

function AddTrack({ path, tracks, onChanged }: AddProps) {
  const language = useSignal('en');
  const title = useSignal('');
  const purpose = useSignal<string>('main');
  const isDefault = useSignal(false);
  const adding = useAction();
  const add = (file: File | undefined) => {
    if (file === undefined) return;
    const query = new URLSearchParams({ language: language.value, purpose: purpose.value });
    if (title.value !== '') query.set('title', title.value);
    if (isDefault.value) query.set('isDefault', 'true');
    const id = freeId(language.value, purpose.value, tracks);
    void adding.run(async () => {
      await api('PUT', `${path}/audio-tracks/${id}?${query}`, file);
      title.value = '';
      toast(t('The track is being encoded. Viewers can choose it when it is ready.'));
      onChanged();
    });
  };
  return (
    <Panel
      title={t('Add an audio track')}
      hint={t(
        'An audio file that starts with the video. A longer file is cut off, and a shorter one is padded with silence.',
      )}
    >
      <LanguageField
        label={t('Language')}
        code={language.value}
        none={t('Unknown language')}
        onChange={(code) => (language.value = code)}
      />
      <TextField
        label={t('Title')}
        hint={t('If empty, the track is named after its language and purpose.')}
        value={title.value}
        onChange={(text) => (title.value = text)}
      />
      <PurposeField value={purpose.value} onChange={(value) => (purpose.value = value)} />
      <Check
        label={t('Default track in players')}
        value={isDefault.value}
        onChange={(isOn) => (isDefault.value = isOn)}
      />
      <div class="row">
        <FileButton label={t('Add file')} name={t('Add an audio track')} running={adding} onFile={add} />
      </div>
      {adding.error.value !== null && <Notice kind="error">{adding.error.value}</Notice>}
    </Panel>
  );
}

/** Returns an id from language and purpose, with a number if it is already in use. */
function freeId(language: string, purpose: string, tracks: readonly AudioTrackModel[]): string {
  const code = language.replaceAll(/[^A-Za-z0-9-]/g, '') || 'und';
  const plain = purpose === 'main' ? code : `${code}-${purpose}`;
  const taken = new Set(tracks.map(({ trackId }) => trackId));
  let id = plain;
  for (let count = 2; taken.has(id); count += 1) id = `${plain}-${count}`;
  return id;
}
