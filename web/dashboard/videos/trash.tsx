import { useSignal } from '@preact/signals';
import type { PaginationListOfTrashedVideoModel } from '../../../src/api/models/trash.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { keptFor, mayWrite } from '../base/session.ts';
import { bytes, clock, day, plural } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Table } from '../parts/fields.tsx';
import { Empty, Notice, Pager } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

const PER_PAGE = 50;

export function Trash({ libraryId }: { libraryId: number }) {
  const page = useSignal(1);
  const path = `/library/${libraryId}/trash`;
  const { value, error, again } = useLoaded<PaginationListOfTrashedVideoModel>(
    `${path}?page=${page.value}&itemsPerPage=${PER_PAGE}`,
  );
  const action = useAction();
  const dropping = useSignal<{ guid: string; title: string } | null>(null);
  const found = value.value;
  const restore = (guid: string, title: string) =>
    action.run(async () => {
      await api('POST', `${path}/${guid}/restore`);
      toast(t('“{0}” restored.', title));
      again();
    });
  const drop = (guid: string) =>
    action.run(async () => {
      await api('DELETE', `${path}/${guid}`);
      dropping.value = null;
      again();
    });
  return (
    <>
      <header class="place">
        <h1>{t('Trash')}</h1>
        {found !== null && (
          <span class="hint">
            {plural(found.totalItems, 'video')}, {t('each kept for {0}', keptFor('trash'))}
          </span>
        )}
      </header>
      {(error.value ?? action.error.value) !== null && (
        <Notice kind="error">{error.value ?? action.error.value}</Notice>
      )}
      {found?.items.length === 0 && (
        <Empty title={t('The trash is empty')}>
          <p>
            {t(
              'Deleted videos are kept here for {0} with all their files. You can restore them until then.',
              keptFor('trash'),
            )}
          </p>
        </Empty>
      )}
      {found !== null && found.items.length > 0 && (
        <div class="log-cards">
          <Table
            label={t('Videos in the trash')}
            head={[t('Title'), t('Length'), t('Size'), t('Deleted'), t('Kept until'), t('Actions')]}
          >
            {found.items.map(({ guid, title, length, storageSize, dateTrashed, dateExpires }) => (
              <tr key={guid}>
                <th scope="row">{title}</th>
                <td data-name={t('Length')}>{clock(length)}</td>
                <td data-name={t('Size')}>{bytes(storageSize)}</td>
                <td data-name={t('Deleted')}>{day(dateTrashed)}</td>
                <td data-name={t('Kept until')}>{day(dateExpires)}</td>
                <td>
                  {mayWrite() && (
                    <div class="row">
                      <button type="button" aria-label={t('Restore {0}', title)} onClick={() => restore(guid, title)}>
                        {t('Restore')}
                      </button>
                      <button
                        type="button"
                        class="quiet"
                        aria-label={`${t('Delete now…')} ${title}`}
                        onClick={() => (dropping.value = { guid, title })}
                      >
                        {t('Delete now…')}
                      </button>
                    </div>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        </div>
      )}
      {found !== null && <Pager page={page} total={found.totalItems} perPage={PER_PAGE} />}
      {dropping.value !== null && (
        <Dialog title={t('Delete “{0}” now', dropping.value.title)} onClose={() => (dropping.value = null)}>
          <p>{t('This deletes all of its files and cannot be undone.')}</p>
          <div class="row end">
            <button type="button" onClick={() => (dropping.value = null)}>
              {t('Cancel')}
            </button>
            <button type="button" class="bad" onClick={() => drop(dropping.value?.guid ?? '')}>
              {t('Delete permanently')}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
