import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { PaginationListOfVideoModel, VideoModel } from '../../../src/api/models/video.ts';
import { follow } from '../base/follow.ts';
import { useLoaded } from '../base/load.ts';
import { mayWrite } from '../base/session.ts';
import { clock, day, plural, videoState } from '../base/words.ts';
import { Empty, Link, Notice, Pager } from '../parts/parts.tsx';
import { addFiles } from '../uploads/uploads.ts';

const PER_PAGE = 24;
const TYPING_MS = 250;

export function Videos({ libraryId }: { libraryId: number }) {
  const search = useSignal('');
  const page = useSignal(1);
  const orderBy = useSignal('date');
  const query = new URLSearchParams({
    page: String(page.value),
    itemsPerPage: String(PER_PAGE),
    search: search.value,
    orderBy: orderBy.value,
  });
  const { value, error, again } = useLoaded<PaginationListOfVideoModel>(`/library/${libraryId}/videos?${query}`);
  const refresh = useRef(again);
  refresh.current = again;
  useEffect(() => follow(`/library/${libraryId}/progress`, () => refresh.current()), [libraryId]);
  const found = value.value;
  return (
    <>
      <header class="place">
        <h1>Videos</h1>
        {found !== null && <span class="hint">{plural(found.totalItems, 'video')}</span>}
        <Search
          onSearch={(text) => {
            search.value = text;
            page.value = 1;
          }}
        />
        <select
          aria-label="Order"
          value={orderBy.value}
          onChange={(event) => (orderBy.value = event.currentTarget.value)}
        >
          <option value="date">Newest first</option>
          <option value="title">By title</option>
          <option value="views">Most views</option>
          <option value="length">Longest</option>
        </select>
        {mayWrite() && <FilePicker libraryId={libraryId} />}
      </header>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {found === null ? (
        <Skeletons />
      ) : (
        <Found libraryId={libraryId} items={found.items} isSearch={search.value !== ''} />
      )}
      {found !== null && (
        <Pager
          page={page.value}
          pages={Math.ceil(found.totalItems / PER_PAGE)}
          onPage={(next) => {
            page.value = next;
          }}
        />
      )}
    </>
  );
}

function Search({ onSearch }: { onSearch: (text: string) => void }) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <input
      type="search"
      class="search"
      placeholder="Search titles"
      aria-label="Search titles"
      onInput={({ currentTarget: { value } }) => {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onSearch(value), TYPING_MS);
      }}
    />
  );
}

export function FilePicker({ libraryId }: { libraryId: number }) {
  return (
    <label class="button primary">
      Upload
      <input
        type="file"
        class="unseen"
        accept="video/*,audio/*,.mkv,.ts,.m2ts,.mxf,.mov"
        multiple
        onChange={({ currentTarget }) => {
          addFiles(libraryId, currentTarget.files ?? []);
          currentTarget.value = '';
        }}
      />
    </label>
  );
}

function Found({ libraryId, items, isSearch }: { libraryId: number; items: VideoModel[]; isSearch: boolean }) {
  if (items.length > 0) {
    return (
      <ul class="grid">
        {items.map((video) => (
          <Card key={video.guid} libraryId={libraryId} video={video} />
        ))}
      </ul>
    );
  }
  if (isSearch) {
    return (
      <Empty title="No title matches">
        <p>Try a part of the title.</p>
      </Empty>
    );
  }
  return (
    <Empty title="Drop your first video here">
      <p>It can be watched within seconds, while it is still encoding.</p>
      {mayWrite() && <FilePicker libraryId={libraryId} />}
    </Empty>
  );
}

function Card({ libraryId, video }: { libraryId: number; video: VideoModel }) {
  return (
    <li>
      <Link to={{ name: 'video', libraryId, videoId: video.guid }} class="card">
        <div class="picture">
          {hasPicture(video) && <img src={video.thumbnailUrl ?? ''} alt="" loading="lazy" />}
          {video.length > 0 && <span class="length">{clock(video.length)}</span>}
        </div>
        <div class="card-text">
          <h2>{video.title}</h2>
          <p class="hint">
            {day(video.dateUploaded)} · {plural(video.views, 'view')}
          </p>
          <StateChip video={video} />
        </div>
      </Link>
    </li>
  );
}

function hasPicture({ thumbnailUrl, status, thumbnailCount }: VideoModel): boolean {
  return thumbnailUrl !== null && (status === 3 || status === 4 || status === 8 || thumbnailCount > 0);
}

export function StateChip({ video }: { video: VideoModel }) {
  const { word, tone, isPlayable } = videoState(video.status, video.availableResolutions);
  const percent = tone === 'busy' ? ` ${video.encodeProgress} %` : '';
  return (
    <span class={`chip ${tone}`}>
      {word}
      {percent}
      {tone === 'busy' && isPlayable ? ' · playable' : ''}
    </span>
  );
}

function Skeletons() {
  return (
    <ul class="grid" aria-hidden="true">
      {['a', 'b', 'c', 'd', 'e', 'f'].map((name) => (
        <li key={name} class="card skeleton">
          <div class="picture" />
          <div class="card-text">
            <h2>&nbsp;</h2>
          </div>
        </li>
      ))}
    </ul>
  );
}
