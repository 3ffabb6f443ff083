import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { Link, Notice, Tabs } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';
import { Audit } from './audit.tsx';
import { DeleteLibrary } from './delete-library.tsx';
import { DrmFields } from './drm-fields.tsx';
import { EncodingFields } from './encoding-fields.tsx';
import type { Changes, FieldsProps } from './fields-props.ts';
import { GeneralFields } from './general-fields.tsx';
import { Keys } from './keys.tsx';
import { PlayerFields } from './player-fields.tsx';
import { Rules } from './rules.tsx';
import { SoundFields } from './sound-fields.tsx';
import { Storage } from './storage.tsx';
import { Watermark } from './watermark.tsx';
import { Webhooks } from './webhooks.tsx';

const PARTS = [
  ['general', 'General'],
  ['encoding', 'Encoding'],
  ['player', 'Player'],
  ['drm', 'DRM'],
  ['watermark', 'Watermark'],
  ['rules', 'Rules'],
  ['webhooks', 'Webhooks'],
  ['keys', 'Keys'],
  ['storage', 'Storage'],
  ['audit', 'Audit log'],
] as const;

const FORMS: Readonly<Record<string, (props: FieldsProps) => JSX.Element>> = {
  general: GeneralFields,
  encoding: EncodingFields,
  player: PlayerFields,
  drm: DrmFields,
};

/** A library's settings. Only for owners, since their operations require the account's key. */
export function Settings({ libraryId, part }: { libraryId: number; part: string }) {
  const { value, error, again } = useLoaded<VideoLibraryModel>(`/videolibrary/${libraryId}`);
  const library = value.value;
  const name = PARTS.find(([one]) => one === part)?.[0] ?? 'general';
  const Fields = FORMS[name];
  return (
    <>
      <header class="place">
        <h1>{t('Settings')}</h1>
        <span class="hint">{library?.Name ?? t('Library {0}', libraryId)}</span>
      </header>
      <Tabs label={t('Settings sections')} open={name}>
        {PARTS.map(([one, label]) => (
          <Link key={one} to={{ name: 'settings', libraryId, part: one }} isHere={one === name} keepsPlace>
            {tr(label)}
          </Link>
        ))}
      </Tabs>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {library !== null && Fields !== undefined && (
        <Form key={name} libraryId={libraryId} library={library} Fields={Fields} onSaved={again} />
      )}
      {library !== null && name === 'encoding' && <SoundFields libraryId={libraryId} />}
      {library !== null && name === 'general' && <DeleteLibrary library={library} />}
      {library !== null && name === 'watermark' && (
        <Watermark libraryId={libraryId} library={library} onChanged={again} />
      )}
      {library !== null && name === 'rules' && <Rules zoneId={library.PullZoneId} />}
      {library !== null && name === 'keys' && <Keys libraryId={libraryId} library={library} onChanged={again} />}
      {name === 'webhooks' && <Webhooks libraryId={libraryId} />}
      {library !== null && name === 'storage' && <Storage library={library} />}
      {name === 'audit' && <Audit libraryId={libraryId} />}
    </>
  );
}

type FormProps = {
  libraryId: number;
  library: VideoLibraryModel;
  Fields: (props: FieldsProps) => JSX.Element;
  onSaved: () => void;
};

function Form({ libraryId, library, Fields, onSaved }: FormProps) {
  const changes = useSignal<Changes>({});
  const saving = useAction();
  const save = async (event: Event) => {
    event.preventDefault();
    if (!(await saving.run(() => api('POST', `/videolibrary/${libraryId}`, changes.value)))) return;
    changes.value = {};
    toast(t('Saved.'));
    onSaved();
  };
  // Changes are named after the fields of the model.
  const shown = { ...library, ...changes.value } as VideoLibraryModel;
  return (
    <form class="settings" onSubmit={save}>
      <Fields
        libraryId={libraryId}
        library={shown}
        change={(field, to) => {
          changes.value = { ...changes.value, [field]: to };
        }}
      />
      <div class="row">
        <button type="submit" class="primary" disabled={Object.keys(changes.value).length === 0 || saving.isBusy.value}>
          {t('Save changes')}
        </button>
        {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
      </div>
    </form>
  );
}
