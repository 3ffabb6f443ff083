import { useRef } from 'preact/hooks';
import type { PaginationListOfCollectionModel } from '../../../src/api/models/collection.ts';
import { t, tr, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { Icon } from '../parts/icon.tsx';
import { VISIBILITY_CHOICES } from '../parts/visibility.tsx';
import { ColumnChoice } from './columns.tsx';
import { changeListQuery, type ListQuery, ORDERS, SPANS, STATES } from './list-query.ts';

const TYPING_MS = 250;

type FiltersProps = { libraryId: number; wanted: ListQuery; collectionName: string };

/** Filters and order of the list. `collectionName` is that of the wanted collection. */
export function Filters({ libraryId, wanted, collectionName }: FiltersProps) {
  return (
    <search class="filters" aria-label={t('Filters')}>
      <Typed
        label={t('Search titles')}
        class="search"
        value={wanted.search}
        onType={(search) => changeListQuery({ search })}
      />
      <Choice
        label={t('State')}
        value={wanted.state}
        choices={trAll(STATES)}
        onChoose={(state) => changeListQuery({ state })}
      />
      <CollectionFilter libraryId={libraryId} value={wanted.collection} name={collectionName} />
      <Typed label={t('Tag')} class="tag-filter" value={wanted.tag} onType={(tag) => changeListQuery({ tag })} />
      <Choice
        label={t('Visibility')}
        value={wanted.visibility}
        choices={[['', t('Any visibility')], ...trAll(VISIBILITY_CHOICES)]}
        onChoose={(visibility) => changeListQuery({ visibility })}
      />
      <Choice
        label={t('Created')}
        value={wanted.days}
        choices={trAll(SPANS)}
        onChoose={(days) => changeListQuery({ days })}
      />
      <div class="list-form">
        <Choice
          label={t('Order')}
          value={wanted.order}
          choices={trAll(ORDERS)}
          onChoose={(order) => changeListQuery({ order: order === 'date' ? '' : order, direction: '' })}
        />
        <Direction wanted={wanted} />
        <ViewSwitch wanted={wanted} />
        {wanted.view !== 'grid' && <ColumnChoice />}
      </div>
    </search>
  );
}

type TypedProps = { label: string; class: string; value: string; onType: (text: string) => void };

/** A field that takes effect shortly after the last keystroke. */
function Typed({ label, class: name, value, onType }: TypedProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <input
      type="search"
      class={name}
      placeholder={label}
      aria-label={label}
      defaultValue={value}
      onInput={({ currentTarget }) => {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onType(currentTarget.value), TYPING_MS);
      }}
    />
  );
}

type ChoiceProps = {
  label: string;
  value: string;
  choices: readonly (readonly [value: string, label: string, ...rest: unknown[]])[];
  onChoose: (value: string) => void;
};

function Choice({ label, value, choices, onChoose }: ChoiceProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {choices.map(([key, text]) => (
        <option key={key} value={key}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** `name` is shown for a collection that the list does not contain. */
function CollectionFilter({ libraryId, value, name }: { libraryId: number; value: string; name: string }) {
  const { value: found } = useLoaded<PaginationListOfCollectionModel>(
    `/library/${libraryId}/collections?itemsPerPage=1000&orderBy=name`,
  );
  const items = found.value?.items ?? [];
  if (items.length === 0 && value === '') return null;
  const choices = [
    ['', t('All collections')] as const,
    ...items.map((one) => [one.guid ?? '', one.name ?? ''] as const),
    ...(items.some(({ guid }) => guid === value) || value === '' ? [] : [[value, name] as const]),
  ];
  return (
    <Choice
      label={t('Collection')}
      value={value}
      choices={choices}
      onChoose={(collection) => changeListQuery({ collection })}
    />
  );
}

function Direction({ wanted }: { wanted: ListQuery }) {
  const other = wanted.direction === 'asc' ? 'desc' : 'asc';
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={wanted.direction === 'asc' ? t('Ascending; reverse the order') : t('Descending; reverse the order')}
      onClick={() => changeListQuery({ direction: other })}
    >
      <Icon name={wanted.direction === 'asc' ? 'up' : 'down'} />
    </button>
  );
}

function ViewSwitch({ wanted }: { wanted: ListQuery }) {
  const views = [
    ['grid', 'Grid'],
    ['list', 'List'],
    ['dense', 'Dense list'],
  ] as const;
  return (
    <fieldset class="switch">
      <legend class="unseen">{t('Layout')}</legend>
      {views.map(([view, label]) => (
        <button
          key={view}
          type="button"
          class="icon-button"
          aria-label={tr(label)}
          aria-pressed={wanted.view === view}
          onClick={() => changeListQuery({ view })}
        >
          <Icon name={view} />
        </button>
      ))}
    </fieldset>
  );
}
