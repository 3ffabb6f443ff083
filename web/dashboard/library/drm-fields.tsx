import { t, trAll } from '../base/language.ts';
import { Check, Panel, SelectField } from '../parts/fields.tsx';
import type { FieldsProps } from './fields-props.ts';

const VERSIONS = [
  ['0', 'Basic: built-in keys, AES in all browsers'],
  ['1', 'Enterprise: Widevine and FairPlay with a key server'],
  ['2', 'Basic, version 2'],
] as const;

/** DRM settings: which viewers can decrypt the media. */
export function DrmFields({ library, change }: FieldsProps) {
  return (
    <div class="columns">
      <Panel title={t('Encryption')} hint={t('Videos are encrypted on delivery. Nothing is stored twice.')}>
        <Check
          label={t('Protect the videos in this library')}
          value={library.EnableDRM}
          onChange={(isOn) => change('EnableDRM', isOn)}
        />
        <SelectField
          label={t('Type')}
          value={String(library.DrmVersion)}
          choices={trAll(VERSIONS)}
          onChange={(chosen) => change('DrmVersion', Number(chosen))}
        />
        <p class="hint">{t('Protected videos have no MP4 downloads.')}</p>
      </Panel>
      <Panel title={t('Licences')}>
        <dl>
          <dt>{t('Widevine')}</dt>
          <dd>{library.GoogleWidevineDrm?.Enabled === true ? t('On') : t('Off')}</dd>
          <dt>{t('FairPlay')}</dt>
          <dd>{library.AppleFairPlayDrm?.Enabled === true ? t('On') : t('Off')}</dd>
        </dl>
        <p class="hint">
          {t('Set key servers and certificates in the service configuration.')}{' '}
          {t('Firefox on Linux has no Widevine L1. Safari supports only FairPlay.')}
        </p>
      </Panel>
    </div>
  );
}
