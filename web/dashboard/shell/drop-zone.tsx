import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../base/language.ts';
import { query } from '../base/router.ts';
import { addDropped } from '../uploads/add-dropped.ts';

/** Accepts files and folders dropped anywhere on the page. */
export function DropZone({ libraryId }: { libraryId: number }) {
  const isOver = useSignal(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      isOver.value = true;
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent) => {
      if (event.dataTransfer === null || !event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      isOver.value = false;
      void addDropped({ libraryId, collectionId: query.value.get('collection') ?? '' }, event.dataTransfer);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [libraryId, isOver]);
  return isOver.value ? <div class="drop">{t('Drop files or folders to upload')}</div> : null;
}
