import { useEffect } from 'preact/hooks';
import type { PaginationListOfLiveStreamModel } from '../../../src/api/models/live-stream.ts';
import type { PaginationListOfVideoModel } from '../../../src/api/models/video.ts';
import { hasKeptStep, keepStep } from '../base/kept-steps.ts';
import { t } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import type { Route } from '../base/router.ts';
import { may, mayUpload } from '../base/session.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/parts.tsx';
import { FilePicker } from '../uploads/file-picker.tsx';

type Step = { title: string; text: string; isDone: boolean; to: Route | null };

const REFRESH_MS = 20_000;
/** Maximum number of videos of a new library. */
const FEW_VIDEOS = 20;

/**
 * The checklist of a new library. It fills an empty library. Later it is a panel above the list, until each step is
 * done or the user hides it. After the first time, the panel is drawn with the first frame, so that it does not move
 * the list later.
 */
export function FirstSteps({ libraryId, isEmpty }: { libraryId: number; isEmpty: boolean }) {
  const { steps, isLoaded } = useSteps(libraryId, isEmpty);
  const done = steps.filter(({ isDone }) => isDone).length;
  const isOver = isLoaded && !isEmpty && done === steps.length;
  useEffect(() => {
    if (isOver) keepStep('dismissed', libraryId);
    else if (!isEmpty) keepStep('started', libraryId);
  }, [isOver, isEmpty, libraryId]);
  if (isEmpty) {
    return (
      <div class="empty first-steps">
        <h2>{t('Drop your first video here')}</h2>
        <StepList steps={steps} />
        {mayUpload() && <FilePicker to={{ libraryId, collectionId: '' }} />}
      </div>
    );
  }
  return (
    <section class="panel first-steps" aria-labelledby="first-steps">
      <header class="row spread">
        <h2 id="first-steps">
          {t('First steps')} {isLoaded && <span class="hint">{t('{0} of {1}', done, steps.length)}</span>}
        </h2>
        <button type="button" class="quiet" onClick={() => keepStep('dismissed', libraryId)}>
          {t('Hide checklist')}
        </button>
      </header>
      <StepList steps={steps} />
    </section>
  );
}

/**
 * Returns whether the checklist is shown above the list: the library has few videos, and the user can add more and has
 * not hidden it. Before the number of videos is known (null), it is shown if it was shown before.
 */
export function wantsFirstSteps(libraryId: number, videos: number | null): boolean {
  if (!mayUpload() || hasKeptStep('dismissed', libraryId)) return false;
  return videos === null ? hasKeptStep('started', libraryId) : videos > 0 && videos <= FEW_VIDEOS;
}

/** Returns the steps that the user may take. `isLoaded`: whether it is known which of them are done. */
function useSteps(libraryId: number, isEmpty: boolean): { steps: Step[]; isLoaded: boolean } {
  const isManager = may('library.manage', libraryId);
  const isOwner = may('account.manage');
  const maySend = may('live.edit', libraryId);
  const mostSeen = useLoaded<PaginationListOfVideoModel>(
    isEmpty ? null : `/library/${libraryId}/videos?itemsPerPage=1&orderBy=views`,
  );
  const streams = useLoaded<PaginationListOfLiveStreamModel>(
    maySend ? `/library/${libraryId}/live?itemsPerPage=1` : null,
  );
  const endpoints = useLoaded<{ items: unknown[] }>(isManager ? `/library/${libraryId}/webhook-endpoints` : null);
  const people = useLoaded<{ TotalItems: number }>(isOwner ? '/people?page=1&perPage=1' : null);
  // Views of an embedded video cause no event on this page.
  useRefresh(mostSeen.look, REFRESH_MS);
  const sources = [
    ...(maySend ? [streams] : []),
    ...(isEmpty ? [] : [mostSeen]),
    ...(isManager ? [endpoints] : []),
    ...(isOwner ? [people] : []),
  ];
  const isLoaded = sources.every(({ value }) => value.value !== null);
  const views = mostSeen.value.value?.items[0]?.views ?? 0;
  const steps: Step[] = [
    {
      title: t('Upload a video'),
      text: t('It is playable within seconds, while encoding continues.'),
      isDone: !isEmpty,
      to: null,
    },
    {
      title: t('Embed it in a page'),
      text: t('The Share tab of each video has code for HTML, React and oEmbed, a link and a QR code.'),
      isDone: views > 0 || hasKeptStep('embedded', libraryId),
      to: null,
    },
    ...(maySend
      ? [
          {
            title: t('Go live'),
            text: t('Create a stream and publish to it with OBS or a browser.'),
            isDone: (streams.value.value?.totalItems ?? 0) > 0,
            to: { name: 'live', libraryId } as const,
          },
        ]
      : []),
    ...(isManager
      ? [
          {
            title: t('Get notified'),
            text: t('Add an endpoint, then send a test to it.'),
            isDone: (endpoints.value.value?.items.length ?? 0) > 0,
            to: { name: 'settings', libraryId, part: 'webhooks' } as const,
          },
        ]
      : []),
    ...(isOwner
      ? [
          {
            title: t('Invite your team'),
            text: t('Each person signs in separately, with a role in the account or in single libraries.'),
            // The first person is the owner.
            isDone: (people.value.value?.TotalItems ?? 0) > 1,
            to: { name: 'people' } as const,
          },
        ]
      : []),
  ];
  return { steps, isLoaded };
}

function StepList({ steps }: { steps: readonly Step[] }) {
  return (
    <ol>
      {steps.map(({ title, text, isDone, to }) => (
        <li key={title} class={isDone ? 'done' : undefined}>
          <span class="step-mark">{isDone && <Icon name="check" />}</span>
          <span>
            <strong>{to === null ? title : <Link to={to}>{title}</Link>}</strong>
            {isDone && <span class="unseen">{t('Done')}</span>}
            <span class="hint block">{text}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}
