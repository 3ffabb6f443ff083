import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { WebhookEndpointModel, WebhookEventModel } from '../../../src/api/models/webhook.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t, tr, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { moment } from '../base/words.ts';
import { SelectField, Table } from '../parts/fields.tsx';
import { Empty, Link, Notice, Pager } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';
import { EVENTS, NIL, nameOfEndpoint } from './webhook-events.ts';

type EventPage = { totalItems: number; items: WebhookEventModel[] };

const PER_PAGE = 30;
const STATES = [
  ['', 'All'],
  ['pending', 'Pending'],
  ['delivered', 'Delivered'],
  ['dead', 'Failed'],
] as const;
const TONES = { pending: 'busy', delivered: 'good', dead: 'bad' } as const;

type Props = { libraryId: number; endpoints: readonly WebhookEndpointModel[]; turn: number };

/** Every message that the service sent or is retrying, with its body and the receiver's response. */
export function Deliveries({ libraryId, endpoints, turn }: Props) {
  const state = useSignal('');
  const endpoint = useSignal('');
  const page = useSignal(1);
  const path = `/library/${libraryId}/webhooks`;
  const filter = endpoint.value === '' ? '' : `&endpoint=${endpoint.value}`;
  const { value, error, again } = useLoaded<EventPage>(
    `${path}?state=${state.value}${filter}&page=${page.value}&itemsPerPage=${PER_PAGE}`,
  );
  useEffect(() => {
    if (turn > 0) again();
    // Reads again after each test and change, not after each rendering.
  }, [turn]);
  const running = useAction();
  const resend = (guid: string) =>
    running.run(async () => {
      await api('POST', `${path}/${guid}/resend`);
      toast(t('Queued for resending.'));
      again();
    });
  const choose = (target: typeof state) => (chosen: string) => {
    [target.value, page.value] = [chosen, 1];
  };
  const names = endpoints.map((one) => [one.guid, nameOfEndpoint(one)] as const);
  const found = value.value;
  return (
    <section class="stack">
      <h2>{t('Deliveries')}</h2>
      <div class="filters">
        <SelectField label={t('State')} value={state.value} choices={trAll(STATES)} onChange={choose(state)} />
        {names.length > 1 && (
          <SelectField
            label={t('Endpoint')}
            value={endpoint.value}
            choices={[['', t('All')], ...names]}
            onChange={choose(endpoint)}
          />
        )}
        <button type="button" onClick={again}>
          {t('Refresh')}
        </button>
      </div>
      {(error.value ?? running.error.value) !== null && (
        <Notice kind="error">{error.value ?? running.error.value}</Notice>
      )}
      {found?.items.length === 0 ? (
        <Empty title={t('No deliveries yet')}>
          <p>{t('Add an endpoint, then send a test to it.')}</p>
        </Empty>
      ) : (
        <div class="log-cards">
          <Table
            label={t('Deliveries')}
            head={[
              t('Time'),
              t('Event'),
              ...(names.length > 1 ? [t('Endpoint')] : []),
              t('State'),
              t('Attempts'),
              t('Last response'),
              t('Actions'),
            ]}
          >
            {found?.items.map((event) => (
              <tr key={event.guid}>
                <td>{moment(event.dateCreated)}</td>
                <td>
                  <Happened event={event} />
                </td>
                {names.length > 1 && (
                  <td data-name={t('Endpoint')}>{names.find(([guid]) => guid === event.endpointGuid)?.[1] ?? ''}</td>
                )}
                <td>
                  <span class={`chip ${TONES[event.state]}`}>
                    {tr(STATES.find(([one]) => one === event.state)?.[1] ?? event.state)}
                  </span>
                  {event.dateNextAttempt !== null && event.attempts > 0 && (
                    <span class="hint block">{t('retry at {0}', moment(event.dateNextAttempt))}</span>
                  )}
                </td>
                <td data-name={t('Attempts')}>{event.attempts}</td>
                <td data-name={t('Last response')}>{event.lastAnswer}</td>
                <td>
                  <button
                    type="button"
                    aria-label={t('Resend {0}, {1}', wordsOf(event), moment(event.dateCreated))}
                    disabled={running.isBusy.value}
                    onClick={() => resend(event.guid)}
                  >
                    {t('Resend')}
                  </button>
                </td>
              </tr>
            ))}
          </Table>
        </div>
      )}
      {found !== null && <Pager page={page} total={found.totalItems} perPage={PER_PAGE} />}
    </section>
  );
}

/** The event in words with a link to its video, and the body that was sent. */
function Happened({ event }: { event: WebhookEventModel }) {
  const { videoLibraryId, videoGuid, quota } = event;
  const status: number = event.status;
  const fields = { VideoLibraryId: videoLibraryId, VideoGuid: videoGuid, Status: status };
  const body = JSON.stringify({ ...fields, ...(quota && { Quota: quota }) });
  const words = wordsOf(event);
  const isLive = status === 14 || status === 15;
  return (
    <>
      {videoGuid === NIL ? (
        words
      ) : quota !== null ? (
        <Link to={{ name: 'settings', libraryId: videoLibraryId, part: 'quotas' }}>{words}</Link>
      ) : isLive ? (
        <Link to={{ name: 'live', libraryId: videoLibraryId, part: videoGuid }}>{words}</Link>
      ) : (
        <Link to={{ name: 'video', libraryId: videoLibraryId, videoId: videoGuid }}>{words}</Link>
      )}
      <details>
        <summary class="hint">{t('Body')}</summary>
        <code class="wrapped">{body}</code>
      </details>
    </>
  );
}

function wordsOf({ videoGuid, status }: WebhookEventModel): string {
  if (videoGuid === NIL) return t('Test event');
  return tr(EVENTS.find(([known]) => known === status)?.[1] ?? String(status));
}
