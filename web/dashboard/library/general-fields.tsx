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
          hint={t('Receives a signed request whenever a video changes state.')}
          value={library.WebhookUrl ?? ''}
          onChange={(text) => change('WebhookUrl', text)}
        />
      </Panel>
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
        <TextField
          label={t('Caption languages')}
          hint={t('Comma-separated language codes. Leave empty to use the spoken language.')}
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
          hint={t('This also blocks apps and pages that use no-referrer.')}
          value={library.BlockNoneReferrer}
          onChange={(isOn) => change('BlockNoneReferrer', isOn)}
        />
        <Check
          label={t('Allow direct playback outside an embed')}
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
