import type { JSX } from 'preact';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { api } from '../base/api.ts';
import { useDraft } from '../base/drafts.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { may } from '../base/session.ts';
import { Link, Notice, Tabs } from '../parts/parts.tsx';
import { Audit } from './audit.tsx';
import { DeleteLibrary } from './delete-library.tsx';
import { DrmFields } from './drm-fields.tsx';
import { EncodingFields } from './encoding-fields.tsx';
import type { FieldsProps } from './fields-props.ts';
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

/** Sections whose operations concern the account. */
const ACCOUNT_PARTS: readonly string[] = ['rules', 'storage'];

const FORMS: Readonly<Record<string, (props: FieldsProps) => JSX.Element>> = {
  general: GeneralFields,
  encoding: EncodingFields,
  player: PlayerFields,
  drm: DrmFields,
};

/** A library's settings. For keys of the account, and for people who may manage the library. */
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
        {PARTS.filter(([one]) => may('account.manage') || !ACCOUNT_PARTS.includes(one)).map(([one, label]) => (
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
      {library !== null && name === 'general' && may('library.delete', libraryId) && (
        <DeleteLibrary library={library} />
      )}
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
  const { value, resets, change } = useDraft(library, {
    name: t('Settings'),
    async save(edits) {
      await api('POST', `/videolibrary/${libraryId}`, edits);
      onSaved();
    },
  });
  return (
    <div class="settings">
      <Fields
        key={resets}
        libraryId={libraryId}
        library={value}
        change={(field, to) => change({ [field]: to } as Partial<VideoLibraryModel>)}
      />
    </div>
  );
}
