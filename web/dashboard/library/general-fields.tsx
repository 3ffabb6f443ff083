import { t, tr } from '../base/language.ts';
import { Check, Panel, TextField } from '../parts/fields.tsx';
import type { FieldsProps } from './fields-props.ts';

const GENERATED = [
  ['EnableTranscribingTitleGeneration', 'Title from what is said'],
  ['EnableTranscribingDescriptionGeneration', 'Description from what is said'],
  ['EnableTranscribingChaptersGeneration', 'Chapters from what is said'],
  ['EnableTranscribingMomentsGeneration', 'Moments from what is said'],
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
          label={t('Languages of captions')}
          hint={t('Codes with commas between them; empty is the spoken one.')}
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
          label={t('Play with a signed address only')}
          value={library.PlayerTokenAuthenticationEnabled}
          onChange={(isOn) => change('PlayerTokenAuthenticationEnabled', isOn)}
        />
        <Check
          label={t('Refuse players without a referrer')}
          hint={t('Apps and pages with no-referrer are refused too.')}
          value={library.BlockNoneReferrer}
          onChange={(isOn) => change('BlockNoneReferrer', isOn)}
        />
        <Check
          label={t('Let pages play outside of an embed')}
          value={library.AllowDirectPlay}
          onChange={(isOn) => change('AllowDirectPlay', isOn)}
        />
        <Check
          label={t('Let viewers get the original file')}
          value={library.ExposeOriginals}
          onChange={(isOn) => change('ExposeOriginals', isOn)}
        />
      </Panel>
    </div>
  );
}
