import { leaveThen } from '../base/drafts.ts';
import { t } from '../base/language.ts';
import { Dialog } from '../parts/dialog.tsx';
import { SharePages } from '../video/share-pages.tsx';
import { PlayOrder } from './play-order.tsx';

/** The share pages of a collection, and the order in which they play its videos. */
export function CollectionShare({ path, name, onClose }: { path: string; name: string; onClose: () => void }) {
  return (
    <Dialog title={t('Share {0}', name)} guard={leaveThen} onClose={onClose}>
      <div class="stack">
        <SharePages
          path={path}
          hint={t('A page that plays the videos of the collection, for people with its link.')}
          embedTitle={name}
        />
        <PlayOrder path={`${path}/order`} />
      </div>
    </Dialog>
  );
}
