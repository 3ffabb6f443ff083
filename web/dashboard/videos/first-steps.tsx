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

/**
 * The checklist of a new library. It fills an empty library. Later it is a panel above the list, until each step is
 * done or the user hides it.
 */
export function FirstSteps({ libraryId, isEmpty }: { libraryId: number; isEmpty: boolean }) {
  const steps = useSteps(libraryId, isEmpty);
  if (isEmpty) {
    return (
      <div class="empty first-steps">
        <h2>{t('Drop your first video here')}</h2>
        {steps !== null && <StepList steps={steps} />}
        {mayUpload() && <FilePicker to={{ libraryId, collectionId: '' }} />}
      </div>
    );
  }
  if (steps === null || steps.every(({ isDone }) => isDone)) return null;
  return (
    <section class="panel first-steps" aria-labelledby="first-steps">
      <header class="row spread">
        <h2 id="first-steps">
          {t('First steps')}{' '}
          <span class="hint">{t('{0} of {1}', steps.filter(({ isDone }) => isDone).length, steps.length)}</span>
        </h2>
        <button type="button" class="quiet" onClick={() => keepStep('dismissed', libraryId)}>
          {t('Hide checklist')}
        </button>
      </header>
      <StepList steps={steps} />
    </section>
  );
}

/** Returns whether the checklist above the list may be shown: the user can add videos, and has not hidden it. */
export function wantsFirstSteps(libraryId: number): boolean {
  return mayUpload() && !hasKeptStep('dismissed', libraryId);
}

/** Returns the steps that the user may take. Null until it is known which of them are done. */
function useSteps(libraryId: number, isEmpty: boolean): Step[] | null {
  const isManager = may('library.manage', libraryId);
  const isOwner = may('account.manage');
  const mostSeen = useLoaded<PaginationListOfVideoModel>(
    isEmpty ? null : `/library/${libraryId}/videos?itemsPerPage=1&orderBy=views`,
  );
  const streams = useLoaded<PaginationListOfLiveStreamModel>(`/library/${libraryId}/live?itemsPerPage=1`);
  const endpoints = useLoaded<{ items: unknown[] }>(isManager ? `/library/${libraryId}/webhook-endpoints` : null);
  const people = useLoaded<{ TotalItems: number }>(isOwner ? '/people?page=1&perPage=1' : null);
  // The viewers of an embedded video come without a change on this page.
  useRefresh(mostSeen.look, REFRESH_MS);
  const sources = [
    streams,
    ...(isEmpty ? [] : [mostSeen]),
    ...(isManager ? [endpoints] : []),
    ...(isOwner ? [people] : []),
  ];
  if (sources.some(({ value }) => value.value === null)) return null;
  const views = mostSeen.value.value?.items[0]?.views ?? 0;
  return [
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
    {
      title: t('Go live'),
      text: t('Create a stream and publish to it with OBS or a browser.'),
      isDone: (streams.value.value?.totalItems ?? 0) > 0,
      to: { name: 'live', libraryId },
    },
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
}

function StepList({ steps }: { steps: readonly Step[] }) {
  return (
    <ol>
      {steps.map(({ title, text, isDone, to }) => (
        <li key={title} class={isDone ? 'done' : undefined}>
          <strong>{to === null ? title : <Link to={to}>{title}</Link>}</strong>
          {isDone && (
            <span class="chip good">
              <Icon name="check" /> {t('Done')}
            </span>
          )}
          <span class="hint block">{text}</span>
        </li>
      ))}
    </ol>
  );
}
