import { useSignal } from '@preact/signals';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { api, describeError } from '../base/api.ts';
import { useLoaded } from '../base/load.ts';
import { Check, NumberField, TextField } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';

type Changes = Record<string, string | boolean | number>;
type Field = keyof VideoLibraryModel & string;

const RUNGS = ['240p', '360p', '480p', '720p', '1080p', '1440p', '2160p'];

const SWITCHES: readonly { title: string; fields: readonly (readonly [Field, string])[] }[] = [
  {
    title: 'Encoding',
    fields: [
      ['KeepOriginalFiles', 'Keep the files that were uploaded'],
      ['EnableMP4Fallback', 'Make MP4 files for downloads'],
      ['JitEncodingEnabled', 'Encode on demand, as viewers ask'],
      ['EnableMultiAudioTrackSupport', 'Keep all sound tracks'],
    ],
  },
  {
    title: 'Player',
    fields: [
      ['ShowHeatmap', 'Show which parts are watched most'],
      ['RememberPlayerPosition', 'Go on where a viewer stopped'],
      ['AllowDirectPlay', 'Let pages play outside of an embed'],
    ],
  },
  {
    title: 'Access',
    fields: [
      ['PlayerTokenAuthenticationEnabled', 'Play with a signed address only'],
      ['BlockNoneReferrer', 'Refuse players without a referrer'],
    ],
  },
];

/** The basics of a library; an owner's page, since its operations take the account's key. */
export function Settings({ libraryId }: { libraryId: number; part: string }) {
  const { value, error, again } = useLoaded<VideoLibraryModel>(`/videolibrary/${libraryId}`);
  const found = value.value;
  if (found === null) return error.value === null ? null : <Notice kind="error">{error.value}</Notice>;
  return (
    <>
      <header class="place">
        <h1>Settings</h1>
        <span class="hint">Library {libraryId}</span>
      </header>
      <Form libraryId={libraryId} library={found} onSaved={again} />
      <section class="panel keys">
        <h2>Keys</h2>
        <p class="hint">For your own code and for encoders; never put them on a page.</p>
        <CopyField label="API key" text={found.ApiKey ?? ''} isSecret />
        <CopyField label="Read-only key" text={found.ReadOnlyApiKey ?? ''} isSecret />
      </section>
    </>
  );
}

function Form({ libraryId, library, onSaved }: { libraryId: number; library: VideoLibraryModel; onSaved: () => void }) {
  const changes = useSignal<Changes>({});
  const said = useSignal<{ kind: 'error' | 'done'; text: string } | null>(null);
  const change = (field: string, to: string | boolean | number) => {
    changes.value = { ...changes.value, [field]: to };
    said.value = null;
  };
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      await api('POST', `/videolibrary/${libraryId}`, changes.value);
      changes.value = {};
      said.value = { kind: 'done', text: 'Saved.' };
      onSaved();
    } catch (reason) {
      said.value = { kind: 'error', text: describeError(reason) };
    }
  };
  const shown = { ...library, ...changes.value };
  return (
    <form class="settings" onSubmit={save}>
      <div class="columns">
        <section class="panel">
          <h2>Library</h2>
          <TextField label="Name" value={shown.Name ?? ''} onChange={(text) => change('Name', text)} />
          <TextField
            label="Webhook URL"
            value={shown.WebhookUrl ?? ''}
            onChange={(text) => change('WebhookUrl', text)}
          />
          <NumberField
            label="Size of captions, px"
            value={shown.CaptionsFontSize}
            onChange={(px) => change('CaptionsFontSize', px)}
          />
        </section>
        <Rungs value={shown.EnabledResolutions ?? ''} onChange={(text) => change('EnabledResolutions', text)} />
        {SWITCHES.map(({ title, fields }) => (
          <section class="panel" key={title}>
            <h2>{title}</h2>
            {fields.map(([field, label]) => (
              <Check key={field} label={label} value={shown[field] === true} onChange={(isOn) => change(field, isOn)} />
            ))}
          </section>
        ))}
      </div>
      <div class="row">
        <button type="submit" class="primary" disabled={Object.keys(changes.value).length === 0}>
          Save changes
        </button>
        {said.value !== null && <Notice kind={said.value.kind}>{said.value.text}</Notice>}
      </div>
    </form>
  );
}

function Rungs({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const chosen = value.split(',').filter((rung) => rung !== '');
  const turn = (rung: string, isOn: boolean) =>
    onChange(RUNGS.filter((name) => (name === rung ? isOn : chosen.includes(name))).join(','));
  return (
    <section class="panel">
      <h2>Resolutions</h2>
      {RUNGS.map((rung) => (
        <Check key={rung} label={rung} value={chosen.includes(rung)} onChange={(isOn) => turn(rung, isOn)} />
      ))}
      <p class="hint">For videos that are uploaded from now on.</p>
    </section>
  );
}
