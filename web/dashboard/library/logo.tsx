import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { Panel } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

/** The logo of a library's share pages. */
export function Logo({ libraryId }: { libraryId: number }) {
  const running = useAction();
  const path = `/videolibrary/${libraryId}/logo`;
  const upload = (file: File | undefined) => {
    if (file === undefined) return;
    void running.run(async () => {
      await api('PUT', path, file);
      toast(t('Logo saved.'));
    });
  };
  const remove = () =>
    running.run(async () => {
      await api('DELETE', path);
      toast(t('Logo removed.'));
    });
  return (
    <Panel title={t('Logo')} hint={t('Shown on share pages, at most 48 pixels high.')}>
      <div class="row">
        <label class="button">
          {t('Upload logo')}
          <input
            type="file"
            class="unseen"
            accept="image/png,image/jpeg,image/webp"
            onChange={({ currentTarget }) => upload(currentTarget.files?.[0])}
          />
        </label>
        <button type="button" class="quiet" onClick={() => void remove()}>
          {t('Remove logo')}
        </button>
      </div>
      {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
    </Panel>
  );
}
