import { useSignal } from '@preact/signals';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { go } from '../base/router.ts';
import { reloadLibraries } from '../base/session.ts';
import { plural } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';

/** Deletes a library. The user has to type its name, because this cannot be undone. */
export function DeleteLibrary({ library }: { library: VideoLibraryModel }) {
  const isAsked = useSignal(false);
  const typed = useSignal('');
  const deleting = useAction();
  const name = library.Name ?? '';
  const remove = (event: Event) => {
    event.preventDefault();
    void deleting.run(async () => {
      await api('DELETE', `/videolibrary/${library.Id}`);
      await reloadLibraries();
      go({ name: 'libraries' });
    });
  };
  return (
    <div class="row danger-zone">
      <button type="button" class="quiet" onClick={() => (isAsked.value = true)}>
        {t('Delete this library…')}
      </button>
      {isAsked.value && (
        <Dialog title={t('Delete library {0}', name)} onClose={() => (isAsked.value = false)}>
          <form class="stack" onSubmit={remove}>
            <p>
              {t('This permanently deletes the following and cannot be undone:')} {plural(library.VideoCount, 'video')}
            </p>
            <TextField
              label={t('Type {0} to confirm', name)}
              value={typed.value}
              onChange={(text) => (typed.value = text)}
            />
            {deleting.error.value !== null && <Notice kind="error">{deleting.error.value}</Notice>}
            <div class="row end">
              <button type="submit" class="bad" disabled={typed.value !== name || deleting.isBusy.value}>
                {t('Delete permanently')}
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </div>
  );
}
