import type { JSX } from 'preact';
import type { VideoModel } from '../../../src/api/models/video.ts';
import { keptValue } from '../base/kept-value.ts';
import { t, tr } from '../base/language.ts';
import { amount, bytes, clock, day } from '../base/words.ts';
import { Icon } from '../parts/icon.tsx';
import { VISIBILITY_CHOICES } from '../parts/visibility.tsx';
import { StateChip } from '../uploads/state.tsx';
import { changeListQuery, type ListQuery, ORDERS } from './list-query.ts';

/** A column of the list. `order` is the order that its heading selects. */
type Column = {
  name: string;
  label: string;
  width: string;
  order: string | null;
  show: (video: VideoModel) => JSX.Element | string;
};

const COLUMNS: readonly Column[] = [
  { name: 'state', label: 'State', width: '170px', order: 'status', show: (video) => <StateChip video={video} /> },
  {
    name: 'length',
    label: 'Length',
    width: '72px',
    order: 'length',
    show: ({ length }) => (length > 0 ? clock(length) : ''),
  },
  {
    name: 'resolution',
    label: 'Resolution',
    width: '96px',
    order: null,
    show: ({ width, height }) => (height > 0 ? `${width} × ${height}` : ''),
  },
  { name: 'size', label: 'Size', width: '84px', order: 'size', show: ({ storageSize }) => bytes(storageSize) },
  { name: 'views', label: 'Views', width: '72px', order: 'views', show: ({ views }) => amount(views) },
  { name: 'category', label: 'Category', width: '110px', order: null, show: ({ category }) => tr(category ?? '') },
  {
    name: 'visibility',
    label: 'Visibility',
    width: '96px',
    order: null,
    show: ({ visibility }) => tr(VISIBILITY_CHOICES.find(([name]) => name === visibility)?.[1] ?? ''),
  },
  { name: 'date', label: 'Date', width: '110px', order: 'date', show: ({ dateUploaded }) => day(dateUploaded) },
];

/** Windows in which more columns would leave no space for the titles. */
const IS_NARROW = matchMedia('(max-width: 1180px)').matches;
const USUAL: readonly string[] = IS_NARROW ? ['state', 'length', 'date'] : ['state', 'length', 'size', 'views', 'date'];
const chosen = keptValue<readonly string[]>('millrace-columns', USUAL, (stored) =>
  Array.isArray(stored) ? COLUMNS.map(({ name }) => name).filter((name) => stored.includes(name)) : null,
);

const shownColumns = () => COLUMNS.filter(({ name }) => chosen.value.includes(name));

/** Returns the widths of the chosen columns as CSS. */
export function columnWidths(): string {
  return shownColumns()
    .map(({ width }) => width)
    .join(' ');
}

/** The facts of a video in the chosen columns. */
export function RowFacts({ video }: { video: VideoModel }) {
  return (
    <>
      {shownColumns().map(({ name, show }) => (
        <span key={name} class={name === 'state' ? 'row-state' : 'row-fact'}>
          {show(video)}
        </span>
      ))}
    </>
  );
}

/** The names of the columns. A click orders the list by one. */
export function ListHead({ wanted, maySelect }: { wanted: ListQuery; maySelect: boolean }) {
  return (
    <div class="video-row list-head">
      {maySelect && <span class="choose-space" />}
      <div class="row-link">
        <span class="picture-space" />
        <Heading label="Title" order="title" wanted={wanted} isFact={false} />
        {shownColumns().map(({ name, label, order }) => (
          <Heading key={name} label={label} order={order} wanted={wanted} isFact={name !== 'state'} />
        ))}
      </div>
    </div>
  );
}

type HeadingProps = { label: string; order: string | null; wanted: ListQuery; isFact: boolean };

function Heading({ label, order, wanted, isFact }: HeadingProps) {
  const name = isFact ? 'row-fact' : '';
  if (order === null) return <span class={name}>{tr(label)}</span>;
  const isHere = wanted.order === order;
  const usual = ORDERS.find(([value]) => value === order)?.[2] ?? 'desc';
  const other = wanted.direction === 'asc' ? 'desc' : 'asc';
  return (
    <span class={name}>
      <button
        type="button"
        class="quiet"
        aria-label={isHere ? describeOrder(tr(label), wanted) : t('Sort by {0}', tr(label))}
        aria-pressed={isHere}
        onClick={() => changeListQuery({ order, direction: isHere ? other : usual })}
      >
        {tr(label)} {isHere && <Icon name={wanted.direction === 'asc' ? 'up' : 'down'} />}
      </button>
    </span>
  );
}

/** Returns the accessible name of the heading that orders the list. `aria-sort` is only for headings of tables. */
function describeOrder(label: string, { direction }: ListQuery): string {
  return direction === 'asc' ? t('Sort by {0}, now ascending', label) : t('Sort by {0}, now descending', label);
}

/** Chooses the columns of the list. */
export function ColumnChoice() {
  const turn = (name: string, isOn: boolean) => {
    chosen.change((current) =>
      COLUMNS.map((column) => column.name).filter((one) => (one === name ? isOn : current.includes(one))),
    );
  };
  return (
    <details class="column-choice">
      <summary class="button">{t('Columns')}</summary>
      <fieldset class="panel">
        <legend class="unseen">{t('Columns')}</legend>
        {COLUMNS.map(({ name, label }) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={chosen.value.includes(name)}
              onChange={({ currentTarget }) => turn(name, currentTarget.checked)}
            />
            {tr(label)}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
