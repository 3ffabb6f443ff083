import { useSignal } from '@preact/signals';
import type { VideoStatisticsModel } from '../../../src/api/models/play-data.ts';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { go } from '../base/router.ts';
import { may, reloadLibraries } from '../base/session.ts';
import { amount, bytes, plural } from '../base/words.ts';
import { Empty, Link, Notice } from '../parts/parts.tsx';
import { Sparkline } from './sparkline.tsx';

const WEEK_MS = 7 * 24 * 3_600_000;

/** An overview of all libraries, and a form for a new one. */
export function Libraries() {
  const { value, error } = useLoaded<readonly VideoLibraryModel[]>('/videolibrary');
  const found = value.value;
  return (
    <>
      <header class="place">
        <h1>{t('Libraries')}</h1>
        {found !== null && <span class="hint">{amount(found.length)}</span>}
      </header>
      {may('account.manage') && <NewLibrary />}
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {found?.length === 0 && (
        <Empty title={t('No library yet')}>
          <p>{t('A library contains videos and live streams and has its own keys, rules and settings.')}</p>
        </Empty>
      )}
      <div class="columns">
        {found?.map((library) => (
          <LibraryCard key={library.Id} library={library} />
        ))}
      </div>
    </>
  );
}

function NewLibrary() {
  const name = useSignal('');
  const making = useAction();
  const make = (event: Event) => {
    event.preventDefault();
    void making.run(async () => {
      const { Id } = await api<VideoLibraryModel>('POST', '/videolibrary', { Name: name.value });
      await reloadLibraries();
      go({ name: 'videos', libraryId: Id });
    });
  };
  return (
    <form class="row new" onSubmit={make}>
      <input
        aria-label={t('Library name')}
        placeholder={t('Library name')}
        required
        value={name.value}
        onInput={(event) => (name.value = event.currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={making.isBusy.value}>
        {t('Create library')}
      </button>
      {making.error.value !== null && <Notice kind="error">{making.error.value}</Notice>}
    </form>
  );
}

function LibraryCard({ library }: { library: VideoLibraryModel }) {
  const { Id: libraryId, Name, VideoCount, StorageUsage, TrafficUsage } = library;
  const from = new Date(Date.now() - WEEK_MS).toISOString().slice(0, 10);
  const { value } = useLoaded<VideoStatisticsModel>(`/library/${libraryId}/statistics?dateFrom=${from}`);
  const views = Object.values(value.value?.viewsChart ?? {});
  const total = views.reduce((sum, count) => sum + count, 0);
  return (
    <section class="panel">
      <div class="card-head">
        <h2 dir="auto">
          <Link to={{ name: 'videos', libraryId }}>{Name}</Link>
        </h2>
        <span class="hint">{t('Library {0}', libraryId)}</span>
      </div>
      <p class="facts">
        <span>{plural(VideoCount, 'video')}</span>
        <span>
          {bytes(StorageUsage)} {t('stored')}
        </span>
        <span>
          {bytes(TrafficUsage)} {t('delivered this month')}
        </span>
      </p>
      <Sparkline values={views} label={t('{0} in the last 7 days', plural(total, 'view'))} />
      <p class="hint">
        {plural(total, 'view')} {t('in the last 7 days')}
      </p>
      <div class="row">
        {may('statistics.read', libraryId) && (
          <Link class="button" to={{ name: 'statistics', libraryId }}>
            {t('Statistics')}
          </Link>
        )}
        {may('library.manage', libraryId) && (
          <Link class="button" to={{ name: 'settings', libraryId }}>
            {t('Settings')}
          </Link>
        )}
      </div>
    </section>
  );
}
