import type { LibrarySoundModel } from '../../../src/api/models/library-sound.ts';
import { api } from '../base/api.ts';
import { useDraft } from '../base/drafts.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { Check, NumberField, Panel } from '../parts/fields.tsx';
import { Loading } from '../parts/parts.tsx';

/** Audio settings of a library. */
export function SoundFields({ libraryId }: { libraryId: number }) {
  const path = `/videolibrary/${libraryId}/sound`;
  const { value, error, again } = useLoaded<LibrarySoundModel>(path);
  if (value.value === null) return <Loading error={error.value} />;
  return <SoundForm path={path} sound={value.value} onSaved={again} />;
}

type FormProps = { path: string; sound: LibrarySoundModel; onSaved: () => void };

function SoundForm({ path, sound, onSaved }: FormProps) {
  const { value, change } = useDraft(sound, {
    name: t('Sound'),
    async save(edits) {
      await api('POST', path, edits);
      onSaved();
    },
  });
  return (
    <div class="settings">
      <Panel title={t('Sound')} hint={t('For videos that are uploaded from now on.')}>
        <Check
          label={t('Give all videos the same loudness')}
          hint={t('Each track is measured first, then made louder or quieter as a whole. Playback starts later.')}
          value={value.NormaliseLoudness}
          onChange={(NormaliseLoudness) => change({ NormaliseLoudness })}
        />
        <NumberField
          label={t('Loudness in LUFS')}
          value={value.LoudnessTarget}
          min={-31}
          onChange={(LoudnessTarget) => change({ LoudnessTarget })}
        />
        <Check
          label={t('Keep surround sound')}
          hint={t('Tracks of 5.1 and more are encoded in 5.1 too. Players begin with stereo.')}
          value={value.SurroundAudio ?? false}
          onChange={(SurroundAudio) => change({ SurroundAudio })}
        />
      </Panel>
    </div>
  );
}
