import { t, tr } from '../base/language.ts';
import { Check, Panel } from '../parts/fields.tsx';
import { LanguagesField } from '../parts/pickers.tsx';
import type { FieldsProps } from './fields-props.ts';

const GENERATED = [
  ['EnableTranscribingTitleGeneration', 'Generate title from speech'],
  ['EnableTranscribingDescriptionGeneration', 'Generate description from speech'],
  ['EnableTranscribingChaptersGeneration', 'Generate chapters from speech'],
  ['EnableTranscribingMomentsGeneration', 'Generate moments from speech'],
] as const;

/** Languages of generated captions that the picker offers. The API accepts any language code. */
const LANGUAGES =
  'ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl pl pt pt-BR ro ru sk sl sr sv sw ' +
  'ta th tr uk ur vi zh zh-TW';

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
        offered={LANGUAGES.split(' ')}
        onChange={(codes) => change('TranscribingCaptionLanguages', codes)}
      />
    </Panel>
  );
}
