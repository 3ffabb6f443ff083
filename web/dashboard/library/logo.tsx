import type { PortableSettingsModel } from '../../../src/api/models/portable-settings.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { Panel } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

/** The logo of a library's share pages. */
export function Logo({ libraryId }: { libraryId: number }) {
  const running = useAction();
  const path = `/videolibrary/${libraryId}/logo`;
  const stored = useLoaded<PortableSettingsModel>(`/library/${libraryId}/settings`);
  const image = stored.value.value?.images?.logo ?? null;
  const upload = (file: File | undefined) => {
    if (file === undefined) return;
    void running.run(async () => {
      await api('PUT', path, file);
      stored.again();
      toast(t('Logo saved.'));
    });
  };
  const remove = () =>
    running.run(async () => {
      await api('DELETE', path);
      stored.again();
      toast(t('Logo removed.'));
    });
  return (
    <Panel title={t('Logo')} hint={t('Shown on share pages, at most 48 pixels high.')}>
      {image !== null && <img class="logo-image" src={image} alt={t('Logo')} />}
      <div class="row">
        <label class="button">
          {image === null ? t('Upload logo') : t('Replace image')}
          <input
            type="file"
            class="unseen"
            accept="image/png,image/jpeg,image/webp"
            onChange={({ currentTarget }) => upload(currentTarget.files?.[0])}
          />
        </label>
        {image !== null && (
          <button type="button" class="quiet" onClick={() => void remove()}>
            {t('Remove logo')}
          </button>
        )}
      </div>
      {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
    </Panel>
  );
}
