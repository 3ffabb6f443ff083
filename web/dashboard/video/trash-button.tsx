import type { VideoModel } from '../../../src/api/models/video.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { discardAll, leaveThen } from '../base/drafts.ts';
import { t } from '../base/language.ts';
import { go } from '../base/router.ts';
import { useShortcuts } from '../base/shortcuts.ts';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

type TrashProps = { path: string; libraryId: number; video: VideoModel };

/** Moves to the trash. Asks only about unsaved changes. The message that follows can undo it. */
export function TrashButton({ path, libraryId, video }: TrashProps) {
  const removing = useAction();
  const remove = () =>
    removing.run(async () => {
      await api('DELETE', `${path}?trash=true`);
      discardAll();
      go({ name: 'videos', libraryId });
      toast(t('“{0}” moved to the trash.', video.title), {
        label: t('Undo'),
        run: () => {
          api('POST', `/library/${libraryId}/trash/${video.guid}/restore`).then(
            () => go({ name: 'video', libraryId, videoId: video.guid }),
            () => toast(t('The video could not be restored and is still in the trash.')),
          );
        },
      });
    });
  const ask = () => leaveThen(() => void remove());
  useShortcuts({ Delete: ask });
  return (
    <>
      <button type="button" class="quiet" disabled={removing.isBusy.value} onClick={ask}>
        <Icon name="trash" /> {t('Move to trash')}
      </button>
      {removing.error.value !== null && <Notice kind="error">{removing.error.value}</Notice>}
    </>
  );
}
