import { t, trAll } from '../base/language.ts';
import { Check, Panel, SelectField } from '../parts/fields.tsx';
import type { FieldsProps } from './fields-props.ts';

const VERSIONS = [
  ['0', 'Basic: keys of our own, AES in all browsers'],
  ['1', 'Enterprise: Widevine and FairPlay through a key server'],
  ['2', 'Basic, version 2'],
] as const;

/** Settings that control who may read the media bytes. */
export function DrmFields({ library, change }: FieldsProps) {
  return (
    <div class="columns">
      <Panel title={t('Encryption')} hint={t('Videos are encrypted as they are delivered; nothing is stored twice.')}>
        <Check
          label={t('Protect the videos of this library')}
          value={library.EnableDRM}
          onChange={(isOn) => change('EnableDRM', isOn)}
        />
        <SelectField
          label={t('Kind')}
          value={String(library.DrmVersion)}
          choices={trAll(VERSIONS)}
          onChange={(chosen) => change('DrmVersion', Number(chosen))}
        />
        <p class="hint">{t('MP4 downloads are not offered for protected videos.')}</p>
      </Panel>
      <Panel title={t('Licences')}>
        <dl>
          <dt>{t('Widevine')}</dt>
          <dd>{library.GoogleWidevineDrm?.Enabled === true ? t('On') : t('Off')}</dd>
          <dt>{t('FairPlay')}</dt>
          <dd>{library.AppleFairPlayDrm?.Enabled === true ? t('On') : t('Off')}</dd>
        </dl>
        <p class="hint">
          {t('Key servers and certificates are settings of the service.')}{' '}
          {t('Firefox on Linux has no Widevine at level 1; Safari takes FairPlay alone.')}
        </p>
      </Panel>
    </div>
  );
}
