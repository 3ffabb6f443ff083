import { Check, Panel, TextField } from '../parts/fields.tsx';
import type { FieldsProps } from './fields-props.ts';

export function GeneralFields({ library, change }: FieldsProps) {
  return (
    <div class="columns">
      <Panel title="Library">
        <TextField label="Name" value={library.Name ?? ''} onChange={(text) => change('Name', text)} />
        <TextField
          label="Webhook URL"
          hint="Gets a signed message for each change of a video's state."
          value={library.WebhookUrl ?? ''}
          onChange={(text) => change('WebhookUrl', text)}
        />
      </Panel>
      <Panel title="Transcription">
        <Check
          label="Transcribe new videos"
          hint="Needs a speech engine in the settings of the service."
          value={library.EnableTranscribing}
          onChange={(isOn) => change('EnableTranscribing', isOn)}
        />
        <TextField
          label="Languages of captions"
          hint="Codes with commas between them; empty is the spoken one."
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
      <Panel title="Access">
        <Check
          label="Play with a signed address only"
          value={library.PlayerTokenAuthenticationEnabled}
          onChange={(isOn) => change('PlayerTokenAuthenticationEnabled', isOn)}
        />
        <Check
          label="Refuse players without a referrer"
          hint="Apps and pages with no-referrer are refused too."
          value={library.BlockNoneReferrer}
          onChange={(isOn) => change('BlockNoneReferrer', isOn)}
        />
        <Check
          label="Let pages play outside of an embed"
          value={library.AllowDirectPlay}
          onChange={(isOn) => change('AllowDirectPlay', isOn)}
        />
      </Panel>
    </div>
  );
}
