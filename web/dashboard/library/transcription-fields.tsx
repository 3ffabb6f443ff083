import { t, tr } from '../base/language.ts';
import { Check, Panel } from '../parts/fields.tsx';
import { CAPTION_LANGUAGES, LanguagesField } from '../parts/pickers.tsx';
import type { FieldsProps } from './fields-props.ts';

const GENERATED = [
  ['EnableTranscribingTitleGeneration', 'Generate title from speech'],
  ['EnableTranscribingDescriptionGeneration', 'Generate description from speech'],
  ['EnableTranscribingChaptersGeneration', 'Generate chapters from speech'],
  ['EnableTranscribingMomentsGeneration', 'Generate moments from speech'],
] as const;

/** Captions and texts that are generated from the speech of new videos. */
export function TranscriptionFields({ library, change }: FieldsProps) {
  return (
    <Panel title={t('Transcription')}>
      <Check
        label={t('Transcribe new videos')}
        hint={t('Requires a speech engine in the service configuration.')}
        value={library.EnableTranscribing}
        onChange={(isOn) => change('EnableTranscribing', isOn)}
      />
      {GENERATED.map(([field, label]) => (
        <Check key={field} label={tr(label)} value={library[field]} onChange={(isOn) => change(field, isOn)} />
      ))}
      <LanguagesField
        label={t('Caption languages')}
        hint={t('Captions are translated into these languages. Without any, they are in the spoken language.')}
        codes={library.TranscribingCaptionLanguages ?? []}
        offered={CAPTION_LANGUAGES}
        onChange={(codes) => change('TranscribingCaptionLanguages', codes)}
      />
    </Panel>
  );
}
