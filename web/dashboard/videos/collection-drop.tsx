import { signal, useSignal } from '@preact/signals';
import type { BulkModel } from '../../../src/api/models/bulk.ts';
import type { PaginationListOfCollectionModel } from '../../../src/api/models/collection.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { plural } from '../base/words.ts';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/parts.tsx';
import { offerUndo } from './bulk-bar.tsx';
import { watchBulk } from './bulk-progress.tsx';
import { isSelected, selection } from './selection.ts';

/** Videos that the user drags over the page. Null while nothing is dragged. */
const dragged = signal<readonly string[] | null>(null);

/**
 * Handlers of a video that can be dragged into a collection. A selected video takes the selection with it. The user
 * drags the link of the video, because text in a draggable element cannot be selected.
 */
export function dragVideo(id: string) {
  return {
    onDragStart: ({ dataTransfer }: DragEvent) => {
      const { value } = selection;
      const ids = value.kind === 'some' && isSelected(id) ? [...value.ids] : [id];
      if (dataTransfer !== null) dataTransfer.effectAllowed = 'move';
      // Delays the change, because the browser cancels a drag if the page changes when the drag starts.
      setTimeout(() => (dragged.value = ids));
      // A row that the list no longer draws gets no event. Browsers send no mouse events before the drag ends.
      addEventListener('mousemove', endDrag, { once: true });
    },
    onDragEnd: endDrag,
  };
}

function endDrag(): void {
  dragged.value = null;
}

type Props = { libraryId: number; onChanged: () => void };

/** Collections to drop videos on, shown while videos are dragged. The bar of the selection moves them by keyboard. */
export function CollectionDrop(props: Props) {
  const failed = useAction();
  return (
    <>
      {dragged.value !== null && <Targets {...props} ids={dragged.value} run={failed.run} />}
      {failed.error.value !== null && <Notice kind="error">{failed.error.value}</Notice>}
    </>
  );
}

type TargetsProps = Props & { ids: readonly string[]; run: ReturnType<typeof useAction>['run'] };

function Targets({ libraryId, ids, run, onChanged }: TargetsProps) {
  const { value } = useLoaded<PaginationListOfCollectionModel>(
    `/library/${libraryId}/collections?itemsPerPage=1000&orderBy=name`,
  );
  const over = useSignal<string | null>(null);
  const move = (collectionId: string) =>
    run(async () => {
      const place = { libraryId, onChanged };
      const made = await api<BulkModel>('POST', `/library/${libraryId}/bulk`, {
        action: 'move',
        collectionId,
        videoIds: ids,
      });
      watchBulk(made, onChanged);
      offerUndo(place, made, t('{0} in progress.', plural(made.total, 'video')));
    });
  const items = (value.value?.items ?? []).map(({ guid, name }) => [guid ?? '', name ?? ''] as const);
  return (
    <aside class="collection-drop" aria-label={t('Move {0}', plural(ids.length, 'video'))}>
      <h2>{t('Move {0}', plural(ids.length, 'video'))}</h2>
      <ul>
        {[...items, ['', t('No collection')] as const].map(([id, name]) => (
          <li
            key={id}
            class={over.value === id ? 'over' : undefined}
            onDragOver={(event) => {
              event.preventDefault();
              over.value = id;
            }}
            onDragLeave={() => (over.value = null)}
            onDrop={(event) => {
              event.preventDefault();
              dragged.value = null;
              void move(id);
            }}
          >
            <Icon name="collections" /> <span dir="auto">{name}</span>
          </li>
        ))}
      </ul>
    </aside>
  );
}
