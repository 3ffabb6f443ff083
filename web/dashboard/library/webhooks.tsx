import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import type { WebhookEndpointModel } from '../../../src/api/models/webhook.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { Panel } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';
import { Deliveries } from './deliveries.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { EVENTS, NIL, nameOfEndpoint } from './webhook-events.ts';

type Props = { libraryId: number; library: VideoLibraryModel; onChanged: () => void };

/** The endpoints that receive a library's events, and the log of deliveries. */
export function Webhooks({ libraryId, library, onChanged }: Props) {
  const { value, error, again } = useLoaded<{ items: WebhookEndpointModel[] }>(
    `/library/${libraryId}/webhook-endpoints`,
  );
  const edited = useSignal<WebhookEndpointModel | 'new' | null>(null);
  /** Counts tests and changes, so that the log is read again. */
  const turn = useSignal(0);
  const endpoints = value.value?.items ?? [];
  const reload = () => {
    again();
    onChanged();
    turn.value += 1;
  };
  return (
    <div class="stack">
      <Panel
        title={t('Endpoints')}
        hint={t('Each endpoint gets a signed request when something happens to a video or a stream.')}
      >
        {error.value !== null && <Notice kind="error">{error.value}</Notice>}
        {value.value !== null && endpoints.length === 0 && (
          <p>{t('No endpoint yet. Add a URL of your server to be notified.')}</p>
        )}
        <ul class="rows endpoints">
          {endpoints.map((endpoint) => (
            <EndpointRow
              key={endpoint.guid}
              libraryId={libraryId}
              endpoint={endpoint}
              readOnlyKey={library.ReadOnlyApiKey ?? ''}
              onEdit={() => (edited.value = endpoint)}
              onTested={() => (turn.value += 1)}
            />
          ))}
        </ul>
        <div class="row">
          <button type="button" class="primary" onClick={() => (edited.value = 'new')}>
            {t('Add endpoint')}
          </button>
        </div>
      </Panel>
      <Deliveries libraryId={libraryId} endpoints={endpoints} turn={turn.value} />
      {edited.value !== null && (
        <EndpointDialog
          libraryId={libraryId}
          endpoint={edited.value === 'new' ? null : edited.value}
          onDone={reload}
          onClose={() => (edited.value = null)}
        />
      )}
    </div>
  );
}

type RowProps = {
  libraryId: number;
  endpoint: WebhookEndpointModel;
  readOnlyKey: string;
  onEdit: () => void;
  onTested: () => void;
};

function EndpointRow({ libraryId, endpoint, readOnlyKey, onEdit, onTested }: RowProps) {
  const { guid, url, events, enabled, secret } = endpoint;
  const running = useAction();
  const result = useSignal<TestResult | null>(null);
  const name = nameOfEndpoint(endpoint);
  const unmounted = useMemo(() => new AbortController(), []);
  useEffect(() => () => unmounted.abort(), [unmounted]);
  const test = () =>
    running.run(async () => {
      result.value = null;
      const path = `/library/${libraryId}/webhooks`;
      const { guid: id } = await api<{ guid: string }>('POST', `${path}/test?endpoint=${guid}`);
      result.value = await untilTested(`${path}?endpoint=${guid}&itemsPerPage=20`, id, unmounted.signal);
      onTested();
    });
  return (
    <li class="endpoint">
      <div class="endpoint-text">
        <strong>{name}</strong> {!enabled && <span class="chip">{t('Paused')}</span>}
        <code class="wrapped block">{url}</code>
        <span class="hint block">
          {events === null ? t('All events') : events.map((status) => tr(wordsOf(status))).join(', ')}
        </span>
        <details>
          <summary class="hint">{t('Signing secret')}</summary>
          <CopyField
            label={guid === NIL ? t('Read-only key of the library') : t('Secret of this endpoint')}
            text={secret ?? readOnlyKey}
            isSecret
          />
        </details>
        <div role="status">
          {result.value !== null && <span class={`chip ${result.value.tone}`}>{result.value.text}</span>}
        </div>
        {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
      </div>
      <div class="row">
        <button
          type="button"
          aria-label={t('Send test to {0}', name)}
          disabled={running.isBusy.value || !enabled}
          onClick={() => void test()}
        >
          {running.isBusy.value ? t('Testing…') : t('Send test')}
        </button>
        <button type="button" aria-label={t('Edit {0}', name)} onClick={onEdit}>
          {t('Edit')}
        </button>
      </div>
    </li>
  );
}

function wordsOf(status: number): string {
  return EVENTS.find(([known]) => known === status)?.[1] ?? String(status);
}

type TestResult = { tone: 'good' | 'bad' | 'busy'; text: string };
type Tested = { items: { guid: string; state: string; lastAnswer: string | null }[] };

const TEST_LOOKS = 30;
const TEST_LOOK_MS = 700;

/** Waits for the result of a test delivery. Throws if `signal` is aborted. */
async function untilTested(path: string, guid: string, signal: AbortSignal): Promise<TestResult> {
  for (let look = 0; look < TEST_LOOKS; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, TEST_LOOK_MS));
    signal.throwIfAborted();
    const found = (await api<Tested>('GET', path, undefined, signal)).items.find((item) => item.guid === guid);
    if (found?.state === 'delivered') return { tone: 'good', text: t('Test delivered: {0}', found.lastAnswer ?? '') };
    if (found?.state === 'dead') return { tone: 'bad', text: t('Test failed: {0}', found.lastAnswer ?? '') };
  }
  return { tone: 'busy', text: t('No result yet. It appears in the list of deliveries.') };
}
