import type { PaginationListOfVideoModel } from '../../../src/api/models/video.ts';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { keptFor } from '../base/session.ts';
import { bytes, day, plural } from '../base/words.ts';
import { Panel } from '../parts/fields.tsx';
import { Link, Notice } from '../parts/parts.tsx';

const LARGEST = 10;

/** Storage use and traffic of the library, and its largest videos. */
export function Storage({ library }: { library: VideoLibraryModel }) {
  return (
    <div class="stack">
      <Sums library={library} />
      <Largest library={library} />
    </div>
  );
}

/** The largest videos. Each links to its video page, which shows the size of each part. */
function Largest({ library: { Id: libraryId, StorageUsage } }: { library: VideoLibraryModel }) {
  const { value, error } = useLoaded<PaginationListOfVideoModel>(
    `/library/${libraryId}/videos?orderBy=size&direction=desc&itemsPerPage=${LARGEST}`,
  );
  const videos = (value.value?.items ?? []).filter(({ storageSize }) => storageSize > 0);
  return (
    <Panel title={t('Largest videos')}>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {value.value !== null && videos.length === 0 && <p class="hint">{t('Nothing stored yet.')}</p>}
      <ul class="shares">
        {videos.map(({ guid, title, storageSize }) => (
          <li key={guid}>
            <Link to={{ name: 'video', libraryId, videoId: guid, part: 'files' }}>{title}</Link>
            <meter min={0} max={Math.max(1, StorageUsage)} value={storageSize} aria-label={title} />
            <span class="hint">{bytes(storageSize)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Sums({ library }: { library: VideoLibraryModel }) {
  return (
    <div class="columns tight">
      <Panel title={t('Stored')}>
        <p class="figure">{bytes(library.StorageUsage)}</p>
        <p class="hint">{t('in {0}, including originals and images', plural(library.VideoCount, 'video'))}</p>
      </Panel>
      <Panel title={t('Delivered')}>
        <p class="figure">{bytes(library.TrafficUsage)}</p>
        <p class="hint">{t('this month')}</p>
      </Panel>
      <Panel title={t('Retention')}>
        <dl>
          <dt>{t('Originals')}</dt>
          <dd>{library.KeepOriginalFiles ? t('As long as the video') : t('Deleted after encoding')}</dd>
          <dt>{t('Trash')}</dt>
          <dd>{keptFor('trash')}</dd>
          <dt>{t('Event log')}</dt>
          <dd>{keptFor('events')}</dd>
          <dt>{t('Individual sessions')}</dt>
          <dd>{t('{0}; totals are kept', keptFor('visits'))}</dd>
        </dl>
      </Panel>
      <Panel title={t('Details')}>
        <dl>
          <dt>{t('Created')}</dt>
          <dd>{day(library.DateCreated)}</dd>
          <dt>{t('Pull zone')}</dt>
          <dd>{library.PullZoneId}</dd>
        </dl>
      </Panel>
    </div>
  );
}
