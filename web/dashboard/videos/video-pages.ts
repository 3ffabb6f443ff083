import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { PaginationListOfVideoModel, VideoModel } from '../../../src/api/models/video.ts';
import { api, describeError } from '../base/api.ts';
import { follow } from '../base/follow.ts';

/** Number of videos per request. A visible window spans at most two pages. */
const PER_PAGE = 60;
/** Maximum number of pages kept in memory, regardless of how far the user scrolls. */
const MAX_PAGES = 20;
/** Waits before failed pages load again. The last one repeats. */
const RETRY_MS = [2_000, 5_000, 15_000, 60_000];

export type VideoPages = {
  /** Null until the first page has loaded. */
  total: Signal<number | null>;
  error: Signal<string | null>;
  at(index: number): VideoModel | undefined;
  /** Loads the missing videos of a window. */
  show(from: number, to: number): void;
  reload(): void;
};

type Page = { items: readonly VideoModel[]; isStale: boolean };

/** Pages of a list, loaded as they scroll into view, and again after changes in the library. */
export function useVideoPages(libraryId: number, apiQuery: string): VideoPages {
  const total = useSignal<number | null>(null);
  const error = useSignal<string | null>(null);
  const version = useSignal(0);
  const store = useRef(new PageStore());
  const pages = store.current;
  pages.onChange = (found) => {
    // While more pages remain, the total of a search is a lower bound. Later pages can only raise it; the first page
    // can also lower it.
    if (found !== null) total.value = found.isFirst ? found.total : Math.max(found.total, total.value ?? 0);
    error.value = found === null ? pages.error : null;
    version.value += 1;
  };
  useEffect(() => {
    total.value = null;
    pages.open(`/library/${libraryId}/videos?${apiQuery}`);
    return () => pages.close();
  }, [libraryId, apiQuery, pages, total]);
  useEffect(() => follow(libraryId, () => pages.refresh()), [libraryId, pages]);
  // Reads the signal, so that components that show videos render again when a page arrives.
  version.value;
  return {
    total,
    error,
    at: (index) => pages.at(index),
    show: (from, to) => pages.show(from, to),
    reload: () => pages.refresh(),
  };
}

type Found = { total: number; isFirst: boolean };

class PageStore {
  error: string | null = null;
  onChange: (found: Found | null) => void = () => undefined;
  #path = '';
  #pages = new Map<number, Page>();
  #loading = new Map<number, AbortController>();
  #shown = { from: 0, to: 1 };
  /** Pages that failed to load. They are requested again later, and not by each rendering. */
  #failed = new Set<number>();
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  open(path: string): void {
    this.close();
    this.#failures = 0;
    this.#path = path;
    this.#pages = new Map();
    this.show(0, PER_PAGE);
  }

  close(): void {
    for (const loading of this.#loading.values()) loading.abort();
    this.#loading.clear();
    this.#failed.clear();
    clearTimeout(this.#retry);
    this.#retry = undefined;
  }

  at(index: number): VideoModel | undefined {
    return this.#pages.get(Math.floor(index / PER_PAGE))?.items[index % PER_PAGE];
  }

  show(from: number, to: number): void {
    this.#shown = { from, to };
    // The window is measured before the list is opened.
    if (this.#path === '') return;
    const [first, last] = [Math.floor(from / PER_PAGE), Math.floor(Math.max(from, to - 1) / PER_PAGE)];
    // Cancels requests for pages that were scrolled past.
    for (const [page, loading] of this.#loading) {
      if (page < first || page > last) {
        loading.abort();
        this.#loading.delete(page);
      }
    }
    for (let page = first; page <= last; page += 1) {
      const known = this.#pages.get(page);
      if (this.#failed.has(page)) continue;
      if ((known === undefined || known.isStale) && !this.#loading.has(page)) void this.#load(page);
    }
  }

  refresh(): void {
    if (this.#path === '') return;
    for (const page of this.#pages.values()) page.isStale = true;
    this.#failed.clear();
    this.show(this.#shown.from, this.#shown.to);
  }

  async #load(page: number): Promise<void> {
    const loading = new AbortController();
    this.#loading.set(page, loading);
    const path = `${this.#path}&page=${page + 1}&itemsPerPage=${PER_PAGE}`;
    try {
      const { items, totalItems } = await api<PaginationListOfVideoModel>('GET', path, undefined, loading.signal);
      this.#keep(page, items);
      this.error = null;
      this.#failures = 0;
      this.#loading.delete(page);
      this.onChange({ total: totalItems, isFirst: page === 0 });
    } catch (reason) {
      if (loading.signal.aborted) return;
      this.#loading.delete(page);
      this.error = describeError(reason);
      this.#failed.add(page);
      this.#loadLater();
      this.onChange(null);
    }
  }

  #loadLater(): void {
    if (this.#retry !== undefined) return;
    const waitMs = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)];
    this.#failures += 1;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.refresh();
    }, waitMs);
  }

  #keep(page: number, items: readonly VideoModel[]): void {
    this.#pages.delete(page);
    const oldest = this.#pages.keys().next();
    if (this.#pages.size >= MAX_PAGES && !oldest.done) this.#pages.delete(oldest.value);
    this.#pages.set(page, { items, isStale: false });
  }
}
