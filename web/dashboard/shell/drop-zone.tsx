import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../base/language.ts';
import { query } from '../base/router.ts';
import { addDropped } from '../uploads/add-dropped.ts';

/** Accepts files and folders dropped anywhere on the page. */
export function DropZone({ libraryId }: { libraryId: number }) {
  const isOver = useSignal(false);
  const collection = useSignal<string | null>(null);
  useEffect(() => {
    // True during a drag that began on this page: its images would also arrive as files.
    let isOwn = false;
    const start = () => (isOwn = true);
    const end = () => (isOwn = false);
    const over = (event: DragEvent) => {
      if (isOwn || event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      isOver.value = true;
      collection.value = nameAt(event.target);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent) => {
      if (isOwn || event.dataTransfer === null || !event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      isOver.value = false;
      const collectionId = collectionAt(event.target) ?? query.value.get('collection') ?? '';
      void addDropped({ libraryId, collectionId }, event.dataTransfer);
    };
    addEventListener('dragstart', start);
    addEventListener('dragend', end);
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragstart', start);
      removeEventListener('dragend', end);
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [libraryId, isOver]);
  if (!isOver.value) return null;
  return (
    <div class="drop" role="status">
      {collection.value === null
        ? t('Drop files or folders to upload')
        : t('Drop files to upload them into {0}', collection.value)}
    </div>
  );
}

/** Returns the collection whose card is at a point of the page. Null if there is none. */
function collectionAt(target: EventTarget | null): string | null {
  return cardAt(target)?.dataset.collection ?? null;
}

function nameAt(target: EventTarget | null): string | null {
  return cardAt(target)?.dataset.name ?? null;
}

function cardAt(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('[data-collection]') : null;
}
