import { useSignal } from '@preact/signals';
import type { FeedModel } from '../../../src/api/models/feed.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { fullLink } from '../base/full-link.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { SelectField } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';

/** Turns the feeds of a collection on and off, and shows their URLs. */
export function FeedPanel({ path }: { path: string }) {
  const { value, error } = useLoaded<FeedModel>(path);
  const changed = useSignal<FeedModel | null>(null);
  /** True while the panel asks whether to turn the feeds off. */
  const isAsked = useSignal(false);
  const saving = useAction();
  const feed = changed.value ?? value.value;
  const save = (access: string) =>
    saving.run(async () => {
      isAsked.value = false;
      changed.value = await api<FeedModel>('POST', path, { access });
    });
  return (
    <fieldset class="stack">
      <legend>{t('Feeds')}</legend>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {feed !== null && (
        <SelectField
          label={t('Podcast and Media RSS')}
          value={isAsked.value ? 'off' : feed.access}
          choices={[
            ['off', t('Off')],
            ['public', t('For everybody')],
            ['token', t('With a secret URL')],
          ]}
          onChange={(access) => {
            if (access === 'off' && feed.access !== 'off') isAsked.value = true;
            else void save(access);
          }}
        />
      )}
      {isAsked.value && (
        <>
          <Notice kind="error">{t('Podcast apps and feed readers lose access.')}</Notice>
          <div class="row">
            <button type="button" class="danger" disabled={saving.isBusy.value} onClick={() => void save('off')}>
              {t('Turn feeds off')}
            </button>
            <button type="button" onClick={() => (isAsked.value = false)}>
              {t('Cancel')}
            </button>
          </div>
        </>
      )}
      {feed !== null && feed.access !== 'off' && (
        <>
          <CopyField label={t('Podcast')} text={fullLink(feed.podcastUrl ?? '')} />
          <CopyField label={t('Media RSS')} text={fullLink(feed.mediaRssUrl ?? '')} />
        </>
      )}
      {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
    </fieldset>
  );
}
