import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { UploadSettings } from '../../../sdk/src/millrace.ts';
import type { VideoModel } from '../../../src/api/models/video.ts';
import { t } from '../base/language.ts';
import { RUNGS, withTurned } from '../base/rungs.ts';
import { session } from '../base/session.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Check } from '../parts/fields.tsx';
import { LanguageField } from '../parts/pickers.tsx';
import { VisibilityField } from '../parts/visibility.tsx';
import type { Target } from './upload-item.ts';

type Chosen = Pick<Target, 'settings' | 'visibility'>;
type Props = { onClose: () => void; children: (chosen: Chosen) => ComponentChildren };

/**
 * Visibility of the videos, and encoding settings if they differ from the library's. The child element chooses the
 * files.
 */
export function UploadSettingsDialog({ onClose, children }: Props) {
  const visibility = useSignal<VideoModel['visibility']>('public');
  const rungs = useSignal<readonly string[]>([]);
  const isOnDemand = useSignal(false);
  const spoken = useSignal('');
  const hasTexts = useSignal(false);
  const turn = (rung: string, isOn: boolean) => {
    rungs.value = withTurned(RUNGS, rungs.value, { name: rung, isOn });
  };
  const settings: UploadSettings = {
    ...(rungs.value.length > 0 && { enabledResolutions: rungs.value.join(',') }),
    ...(isOnDemand.value && { jitEnabled: true }),
    ...(spoken.value !== '' && { transcribeEnabled: true, sourceLanguage: spoken.value }),
    ...(hasTexts.value && { generateTitle: true, generateDescription: true, generateChapters: true }),
  };
  return (
    <Dialog title={t('Upload with custom settings')} onClose={onClose}>
      <div class="stack">
        <VisibilityField value={visibility.value} onChange={(to) => (visibility.value = to)} />
        <fieldset class="rungs">
          <legend>{t('Resolutions (leave empty to use the library setting)')}</legend>
          {RUNGS.map((rung) => (
            <Check key={rung} label={rung} value={rungs.value.includes(rung)} onChange={(isOn) => turn(rung, isOn)} />
          ))}
        </fieldset>
        <Check
          label={t('Encode on demand, when viewers watch')}
          value={isOnDemand.value}
          onChange={(isOn) => (isOnDemand.value = isOn)}
        />
        {session.value?.engines.speech === true && (
          <>
            <LanguageField
              label={t('Transcription language')}
              none={t('Library setting')}
              code={spoken.value}
              onChange={(code) => (spoken.value = code)}
            />
            <Check
              label={t('Generate title, description and chapters from speech')}
              value={hasTexts.value}
              onChange={(isOn) => (hasTexts.value = isOn)}
            />
          </>
        )}
        <div class="row end">{children({ settings, visibility: visibility.value })}</div>
      </div>
    </Dialog>
  );
}
