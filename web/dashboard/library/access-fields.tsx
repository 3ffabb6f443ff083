import { t, trAll } from '../base/language.ts';
import { Check, Panel, SelectField } from '../parts/fields.tsx';
import type { FieldsProps } from './fields-props.ts';

const VERSIONS = [
  ['0', 'Basic: built-in keys, AES in all browsers'],
  ['1', 'Enterprise: Widevine and FairPlay with a key server'],
  ['2', 'Basic, version 2'],
] as const;

/** Settings that decide which viewers get the videos, and which of them can decrypt the media. */
export function AccessFields({ library, change }: FieldsProps) {
  return (
    <div class="settings">
      <Panel title={t('Viewers')}>
        <Check
          label={t('Require signed URLs')}
          hint={t('Players need a link with a token that your server creates. Share pages have their own.')}
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
      <DrmPanels library={library} change={change} />
    </div>
  );
}

function DrmPanels({ library, change }: Pick<FieldsProps, 'library' | 'change'>) {
  return (
    <div id="block-drm" class="columns settings-block">
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
