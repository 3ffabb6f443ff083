import { useSignal } from '@preact/signals';
import type { FeedModel } from '../../../src/api/models/feed.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { SelectField } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';

/** Turns the feeds of a collection on and off, and shows their URLs. */
export function FeedPanel({ path }: { path: string }) {
  const { value, error } = useLoaded<FeedModel>(path);
  const changed = useSignal<FeedModel | null>(null);
  const saving = useAction();
  const feed = changed.value ?? value.value;
  const save = (access: string) =>
    saving.run(async () => {
      changed.value = await api<FeedModel>('POST', path, { access });
    });
  // Without a public URL of the service, URLs are paths.
  const absolute = (url: string | null) => (url === null ? '' : new URL(url, location.origin).href);
  return (
    <fieldset class="stack">
      <legend>{t('Feeds')}</legend>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {feed !== null && (
        <SelectField
          label={t('Podcast and Media RSS')}
          value={feed.access}
          choices={[
            ['off', t('Off')],
            ['public', t('For everybody')],
            ['token', t('With a secret URL')],
          ]}
          onChange={(access) => void save(access)}
        />
      )}
      {feed !== null && feed.access !== 'off' && (
        <>
          <CopyField label={t('Podcast')} text={absolute(feed.podcastUrl)} />
          <CopyField label={t('Media RSS')} text={absolute(feed.mediaRssUrl)} />
        </>
      )}
      {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
    </fieldset>
  );
}
