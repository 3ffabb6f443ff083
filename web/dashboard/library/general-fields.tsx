import { t, tr } from '../base/language.ts';
import { Check, Panel, TextField } from '../parts/fields.tsx';
import type { FieldsProps } from './fields-props.ts';

const GENERATED = [
  ['EnableTranscribingTitleGeneration', 'Generate title from speech'],
  ['EnableTranscribingDescriptionGeneration', 'Generate description from speech'],
  ['EnableTranscribingChaptersGeneration', 'Generate chapters from speech'],
  ['EnableTranscribingMomentsGeneration', 'Generate moments from speech'],
] as const;

export function GeneralFields({ library, change }: FieldsProps) {
  return (
    <div class="columns">
      <Panel title={t('Library')}>
        <TextField label={t('Name')} value={library.Name ?? ''} onChange={(text) => change('Name', text)} />
        <TextField
          label={t('Webhook URL')}
          hint={t("Gets a signed message for each change of a video's state.")}
          value={library.WebhookUrl ?? ''}
          onChange={(text) => change('WebhookUrl', text)}
        />
      </Panel>
      <Panel title={t('Transcription')}>
        <Check
          label={t('Transcribe new videos')}
          hint={t('Needs a speech engine in the settings of the service.')}
          value={library.EnableTranscribing}
          onChange={(isOn) => change('EnableTranscribing', isOn)}
        />
        {GENERATED.map(([field, label]) => (
          <Check key={field} label={tr(label)} value={library[field]} onChange={(isOn) => change(field, isOn)} />
        ))}
        <TextField
          label={t('Caption languages')}
          hint={t('Language codes separated by commas; empty means the spoken language.')}
          value={(library.TranscribingCaptionLanguages ?? []).join(', ')}
          onChange={(text) =>
            change(
              'TranscribingCaptionLanguages',
              text
                .split(',')
                .map((code) => code.trim())
                .filter((code) => code !== ''),
            )
          }
        />
      </Panel>
      <Panel title={t('Access')}>
        <Check
          label={t('Require signed URLs')}
          value={library.PlayerTokenAuthenticationEnabled}
          onChange={(isOn) => change('PlayerTokenAuthenticationEnabled', isOn)}
        />
        <Check
          label={t('Block players without a referrer')}
          hint={t('Apps and pages with no-referrer are blocked too.')}
          value={library.BlockNoneReferrer}
          onChange={(isOn) => change('BlockNoneReferrer', isOn)}
        />
        <Check
          label={t('Allow direct play, outside of an embed')}
          value={library.AllowDirectPlay}
          onChange={(isOn) => change('AllowDirectPlay', isOn)}
        />
        <Check
          label={t('Let viewers download the original file')}
          value={library.ExposeOriginals}
          onChange={(isOn) => change('ExposeOriginals', isOn)}
        />
      </Panel>
    </div>
  );
}
