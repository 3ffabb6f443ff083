import { useSignal } from '@preact/signals';
import type { LibrarySoundModel, LibrarySoundUpdateModel } from '../../../src/api/models/library-sound.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { Check, NumberField, Panel } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

/** Loudness that the library gives the sound of its videos. It is saved by itself. */
export function SoundFields({ libraryId }: { libraryId: number }) {
  const path = `/videolibrary/${libraryId}/sound`;
  const { value, error, again } = useLoaded<LibrarySoundModel>(path);
  const changes = useSignal<LibrarySoundUpdateModel>({});
  const saving = useAction();
  if (value.value === null) return error.value === null ? null : <Notice kind="error">{error.value}</Notice>;
  const shown = { ...value.value, ...changes.value };
  const change = (made: LibrarySoundUpdateModel) => {
    changes.value = { ...changes.value, ...made };
  };
  const save = async (event: Event) => {
    event.preventDefault();
    if (!(await saving.run(() => api('POST', path, changes.value)))) return;
    changes.value = {};
    toast(t('Saved.'));
    again();
  };
  return (
    <form class="settings" onSubmit={save}>
      <Panel title={t('Sound')} hint={t('For videos that are uploaded from now on.')}>
        <Check
          label={t('Give all videos the same loudness')}
          hint={t('Each track is measured first, then made louder or quieter as a whole. Playback starts later.')}
          value={shown.NormaliseLoudness ?? false}
          onChange={(NormaliseLoudness) => change({ NormaliseLoudness })}
        />
        <NumberField
          label={t('Loudness in LUFS')}
          value={shown.LoudnessTarget ?? value.value.LoudnessTarget}
          min={-31}
          onChange={(LoudnessTarget) => change({ LoudnessTarget })}
        />
      </Panel>
      <div class="row">
        <button type="submit" disabled={Object.keys(changes.value).length === 0 || saving.isBusy.value}>
          {t('Save sound settings')}
        </button>
        {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
      </div>
    </form>
  );
}
