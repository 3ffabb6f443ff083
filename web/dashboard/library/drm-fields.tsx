import { Check, Panel, SelectField } from '../parts/fields.tsx';
import type { FieldsProps } from './fields-props.ts';

const VERSIONS = [
  ['0', 'Basic: keys of our own, AES in all browsers'],
  ['1', 'Enterprise: Widevine and FairPlay through a key server'],
  ['2', 'Basic, version 2'],
] as const;

/** Who may read the bytes. */
export function DrmFields({ library, change }: FieldsProps) {
  return (
    <div class="columns">
      <Panel title="Encryption" hint="Videos are encrypted on their way out; nothing is stored twice.">
        <Check
          label="Protect the videos of this library"
          value={library.EnableDRM}
          onChange={(isOn) => change('EnableDRM', isOn)}
        />
        <SelectField
          label="Kind"
          value={String(library.DrmVersion)}
          choices={VERSIONS}
          onChange={(chosen) => change('DrmVersion', Number(chosen))}
        />
        <p class="hint">MP4 downloads are not offered of protected videos.</p>
      </Panel>
      <Panel title="Licences">
        <dl>
          <dt>Widevine</dt>
          <dd>{library.GoogleWidevineDrm?.Enabled === true ? 'On' : 'Off'}</dd>
          <dt>FairPlay</dt>
          <dd>{library.AppleFairPlayDrm?.Enabled === true ? 'On' : 'Off'}</dd>
        </dl>
        <p class="hint">
          Key servers and certificates are settings of the service. Firefox on Linux has no Widevine at level 1; Safari
          takes FairPlay alone.
        </p>
      </Panel>
    </div>
  );
}
