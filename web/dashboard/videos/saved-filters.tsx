import { useSignal } from '@preact/signals';
import { keptValue } from '../base/kept-value.ts';
import { t } from '../base/language.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { Icon } from '../parts/icon.tsx';
import { changeListQuery, isFiltered, type ListQuery } from './list-query.ts';

const MAX_SAVED = 20;
const FIELDS = ['search', 'state', 'collection', 'tag', 'visibility', 'days', 'order', 'direction'] as const;

type Filters = Pick<ListQuery, (typeof FIELDS)[number]>;
type Saved = { libraryId: number; name: string; filters: Filters };

const saved = keptValue<readonly Saved[]>('millrace-filters', [], (stored) =>
  Array.isArray(stored) ? stored.filter(isSaved) : null,
);

function isSaved(one: unknown): one is Saved {
  const { libraryId, name, filters } = Object(one);
  return typeof libraryId === 'number' && typeof name === 'string' && typeof filters === 'object' && filters !== null;
}

/** Filters that this browser keeps under a name, as buttons, and a button that saves the current ones. */
export function SavedFilters({ libraryId, wanted }: { libraryId: number; wanted: ListQuery }) {
  const isNaming = useSignal(false);
  const own = saved.value.filter((one) => one.libraryId === libraryId);
  const here = textOf(wanted);
  const maySave = isFiltered(wanted) && !own.some(({ filters }) => textOf(filters) === here);
  if (own.length === 0 && !maySave) return null;
  return (
    <div class="saved-filters">
      {own.map((one) => {
        const isHere = textOf(one.filters) === here;
        return (
          <span key={one.name} class={isHere ? 'saved-filter here' : 'saved-filter'}>
            <button
              type="button"
              class="quiet"
              aria-pressed={isHere}
              dir="auto"
              onClick={() => changeListQuery(isHere ? CLEARED : { ...CLEARED, ...one.filters })}
            >
              {one.name}
            </button>
            <button
              type="button"
              class="quiet"
              aria-label={t('Delete the filter {0}', one.name)}
              onClick={() => saved.change((all) => all.filter((other) => !isSame(other, one)))}
            >
              <Icon name="close" />
            </button>
          </span>
        );
      })}
      {maySave && (
        <button type="button" class="quiet" onClick={() => (isNaming.value = true)}>
          {t('Save these filters…')}
        </button>
      )}
      {isNaming.value && (
        <NameDialog
          onSave={(name) => {
            const made = { libraryId, name, filters: pickFilters(wanted) };
            saved.change((all) => [...all.filter((other) => !isSame(other, made)), made].slice(-MAX_SAVED));
          }}
          onClose={() => (isNaming.value = false)}
        />
      )}
    </div>
  );
}

const CLEARED: Filters = {
  ...{ search: '', state: '', collection: '', tag: '', visibility: '', days: '' },
  ...{ order: '', direction: '' },
};

function pickFilters(wanted: Filters): Filters {
  return { ...CLEARED, ...Object.fromEntries(FIELDS.map((field) => [field, wanted[field]])) };
}

function isSame(one: Saved, other: Saved): boolean {
  return one.libraryId === other.libraryId && one.name === other.name;
}

function textOf(filters: Filters): string {
  return JSON.stringify(FIELDS.map((field) => filters[field]));
}

function NameDialog({ onSave, onClose }: { onSave: (name: string) => void; onClose: () => void }) {
  const name = useSignal('');
  const save = (event: Event) => {
    event.preventDefault();
    onSave(name.value.trim());
    onClose();
  };
  return (
    <Dialog title={t('Save filters')} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <TextField
          label={t('Name of the filters')}
          hint={t('Saved in this browser, together with the sort order.')}
          value={name.value}
          onChange={(text) => (name.value = text)}
        />
        <div class="row end">
          <button type="submit" class="primary" disabled={name.value.trim() === ''}>
            {t('Save filters')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
