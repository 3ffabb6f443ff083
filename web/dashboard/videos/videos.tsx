import { useEffect, useRef } from 'preact/hooks';
import type { CollectionModel } from '../../../src/api/models/collection.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { mayUpload, mayWrite } from '../base/session.ts';
import { useShortcuts } from '../base/shortcuts.ts';
import { plural } from '../base/words.ts';
import { Empty, Notice } from '../parts/parts.tsx';
import { FilePicker } from '../uploads/file-picker.tsx';
import { BulkBar, trashSelected } from './bulk-bar.tsx';
import { Card, Row } from './card.tsx';
import { CollectionDrop } from './collection-drop.tsx';
import { columnWidths, ListHead } from './columns.tsx';
import { Filters } from './filters.tsx';
import { FirstSteps, wantsFirstSteps } from './first-steps.tsx';
import {
  changeListQuery,
  isFiltered,
  type ListQuery,
  readListQuery,
  toApiQuery,
  VIEWS,
  type View,
} from './list-query.ts';
import { moveInList } from './move-in-list.ts';
import { SavedFilters } from './saved-filters.tsx';
import { clearSelection, countSelected, selectAll, turn } from './selection.ts';
import { type Shape, useWindow } from './use-window.ts';
import { useVideoPages, type VideoPages } from './video-pages.ts';

const CARD_TEXT_PX = 128;
const GRID: Shape = {
  gapPx: 18,
  leastWidthPx: 240,
  heightOf: (widthPx) => Math.round((widthPx * 9) / 16) + CARD_TEXT_PX,
};
/** On narrow screens, the state of a video is below its title. */
const NARROW = matchMedia('(max-width: 860px)');
const LIST: Shape = { gapPx: 0, leastWidthPx: 100_000, heightOf: () => (NARROW.matches ? 88 : 62) };
const DENSE: Shape = { gapPx: 0, leastWidthPx: 100_000, heightOf: () => 36 };
const SHAPES: Readonly<Record<View, Shape>> = { grid: GRID, list: LIST, dense: DENSE };

export function Videos({ libraryId }: { libraryId: number }) {
  const wanted = readListQuery();
  const apiQuery = toApiQuery(wanted).toString();
  const pages = useVideoPages(libraryId, apiQuery);
  const collection = useCollection(libraryId, wanted.collection);
  // With other filters the previous selection no longer applies.
  useEffect(() => clearSelection, [libraryId, apiQuery]);
  const total = pages.total.value;
  const isStarting = !isFiltered(wanted) && wantsFirstSteps(libraryId, total);
  useShortcuts({
    g: () => changeListQuery({ view: VIEWS[(VIEWS.indexOf(wanted.view) + 1) % VIEWS.length] ?? 'grid' }),
    Escape: clearSelection,
    ...(mayWrite() && {
      'ctrl+a': () => selectAll(),
      Delete: () => {
        if (countSelected(total ?? 0) > 0) void trashSelected({ libraryId, wanted, onChanged: pages.reload });
      },
    }),
  });
  return (
    <>
      <header class="place">
        <h1>{t('Videos')}</h1>
        {total !== null && <span class="hint">{plural(total, 'video')}</span>}
        <span class="push" />
        {mayUpload() && !collection.isGone && <FilePicker to={{ libraryId, collectionId: wanted.collection }} />}
      </header>
      {isStarting && <FirstSteps libraryId={libraryId} isEmpty={false} />}
      <Filters libraryId={libraryId} wanted={wanted} collectionName={collection.name} />
      <SavedFilters libraryId={libraryId} wanted={wanted} />
      {pages.error.value !== null && <Notice kind="error">{pages.error.value}</Notice>}
      {collection.isGone ? (
        <NoCollection />
      ) : total === 0 ? (
        <NoVideos wanted={wanted} libraryId={libraryId} />
      ) : (
        <Found libraryId={libraryId} wanted={wanted} count={total ?? 24} pages={pages} />
      )}
      {mayWrite() && <CollectionDrop libraryId={libraryId} onChanged={pages.reload} />}
      {mayWrite() && <BulkBar libraryId={libraryId} wanted={wanted} total={total ?? 0} onChanged={pages.reload} />}
    </>
  );
}

/** Returns the name of the filter's collection, and whether it does not exist. Empty until it is loaded. */
function useCollection(libraryId: number, id: string): { name: string; isGone: boolean } {
  const path = id === '' ? null : `/library/${libraryId}/collections/${encodeURIComponent(id)}`;
  const { value, isGone } = useLoaded<CollectionModel>(path);
  if (id === '') return { name: '', isGone: false };
  if (isGone.value) return { name: t('Unknown collection'), isGone: true };
  return { name: value.value?.guid === id ? (value.value.name ?? '') : '', isGone: false };
}

function NoCollection() {
  return (
    <Empty title={t('This collection does not exist')}>
      <p>{t('It was deleted, or its address is wrong.')}</p>
      <button type="button" onClick={() => changeListQuery({ collection: '' })}>
        {t('Show videos of all collections')}
      </button>
    </Empty>
  );
}

type FoundProps = { libraryId: number; wanted: ListQuery; count: number; pages: VideoPages };

/** The visible part of the list, positioned in a box as high as the complete list. */
function Found({ libraryId, wanted, count, pages }: FoundProps) {
  const { view } = wanted;
  const box = useRef<HTMLDivElement>(null);
  const { from, to, topPx, heightPx, columns, rowHeightPx } = useWindow(box, count, SHAPES[view]);
  useEffect(() => pages.show(from, to));
  const maySelect = mayWrite();
  const Item = view === 'grid' ? Card : Row;
  const items = Array.from({ length: to - from }, (_, offset) => from + offset);
  const list = (
    <div ref={box} class="window" style={{ height: `${heightPx}px` }}>
      <ul
        class={view === 'grid' ? 'grid' : `video-rows ${view}`}
        onKeyDown={(event) => moveInList(event, { columns, count })}
        style={{
          transform: `translateY(${topPx}px)`,
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          gridAutoRows: `${rowHeightPx - (view === 'grid' ? GRID.gapPx : 0)}px`,
        }}
      >
        {items.map((index) => {
          const video = pages.at(index);
          if (video === undefined) return <li key={index} class="card skeleton" aria-hidden="true" />;
          const onTurn = (isRange: boolean) => turn(index, video.guid, { isRange, idAt: (at) => pages.at(at)?.guid });
          const choice = { maySelect, onTurn };
          return <Item key={video.guid} libraryId={libraryId} index={index} video={video} {...choice} />;
        })}
      </ul>
    </div>
  );
  return (
    <div class={view === 'grid' ? undefined : view} style={{ '--columns': columnWidths() }}>
      {view !== 'grid' && <ListHead wanted={wanted} maySelect={maySelect} />}
      {list}
    </div>
  );
}

function NoVideos({ wanted, libraryId }: { wanted: ListQuery; libraryId: number }) {
  if (wanted.collection !== '' && !isFiltered({ ...wanted, collection: '' })) {
    return (
      <Empty title={t('This collection is empty')}>
        <p>{t('Drop files here to upload them into it, or drag videos from the list onto it.')}</p>
        {mayUpload() && <FilePicker to={{ libraryId, collectionId: wanted.collection }} />}
      </Empty>
    );
  }
  if (isFiltered(wanted)) {
    return (
      <Empty title={t('No matching videos')}>
        <p>{t('Remove a filter or search for part of a title.')}</p>
        <button
          type="button"
          onClick={() => changeListQuery({ search: '', state: '', collection: '', tag: '', visibility: '', days: '' })}
        >
          {t('Clear filters')}
        </button>
      </Empty>
    );
  }
  return <FirstSteps libraryId={libraryId} isEmpty />;
}
