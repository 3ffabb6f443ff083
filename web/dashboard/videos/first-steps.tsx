import type { PaginationListOfLiveStreamModel } from '../../../src/api/models/live-stream.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import type { Route } from '../base/router.ts';
import { may, mayUpload } from '../base/session.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/parts.tsx';
import { FilePicker } from '../uploads/file-picker.tsx';

type Step = { title: string; text: string; isDone: boolean; to: Route | null };

/** The checklist of a library without videos. */
export function FirstSteps({ libraryId }: { libraryId: number }) {
  const streams = useLoaded<PaginationListOfLiveStreamModel>(`/library/${libraryId}/live?itemsPerPage=1`);
  const isOwner = may('account.manage');
  const steps: Step[] = [
    {
      title: t('Upload a video'),
      text: t('It is playable within seconds, while encoding continues.'),
      isDone: false,
      to: null,
    },
    {
      title: t('Embed it in a page'),
      text: t('The Share tab of each video has code for HTML, React and oEmbed, a link and a QR code.'),
      isDone: false,
      to: null,
    },
    {
      title: t('Go live'),
      text: t('Create a stream and publish to it with OBS or a browser.'),
      isDone: (streams.value.value?.totalItems ?? 0) > 0,
      to: { name: 'live', libraryId },
    },
  ];
  return (
    <div class="empty first-steps">
      <h2>{t('Drop your first video here')}</h2>
      <ol>
        {steps.map((step) => (
          <StepLine key={step.title} step={step} />
        ))}
        {may('library.manage', libraryId) && <WebhookStep libraryId={libraryId} />}
        {isOwner && <TeamStep />}
      </ol>
      {mayUpload() && <FilePicker to={{ libraryId, collectionId: '' }} />}
    </div>
  );
}

function WebhookStep({ libraryId }: { libraryId: number }) {
  const { value } = useLoaded<{ items: unknown[] }>(`/library/${libraryId}/webhook-endpoints`);
  const step = {
    title: t('Get notified'),
    text: t('Add an endpoint, then send a test to it.'),
    isDone: (value.value?.items.length ?? 0) > 0,
    to: { name: 'settings', libraryId, part: 'webhooks' } as const,
  };
  return <StepLine step={step} />;
}

/** Done once somebody else is invited. */
function TeamStep() {
  const { value } = useLoaded<{ TotalItems: number }>('/people?page=1&perPage=1');
  const step = {
    title: t('Invite your team'),
    text: t('Each person signs in separately, with a role in the account or in single libraries.'),
    isDone: (value.value?.TotalItems ?? 0) > 1,
    to: { name: 'people' } as const,
  };
  return <StepLine step={step} />;
}

function StepLine({ step: { title, text, isDone, to } }: { step: Step }) {
  return (
    <li>
      <strong>{to === null ? title : <Link to={to}>{title}</Link>}</strong>
      {isDone && (
        <span class="chip good">
          <Icon name="check" /> {t('Done')}
        </span>
      )}
      <span class="hint block">{text}</span>
    </li>
  );
}
