import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { WebhookEndpointModel } from '../../../src/api/models/webhook.ts';
import { type RunningAction, useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t, tr } from '../base/language.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Check, TextField } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';
import { isPrivateUrl } from './is-private-url.ts';
import { EVENTS, NIL, nameOfEndpoint } from './webhook-events.ts';

const SCHEME = 'https://';

type Props = {
  libraryId: number;
  /** Null for a new one. */
  endpoint: WebhookEndpointModel | null;
  onDone: () => void;
  onClose: () => void;
};

/** Adds, changes or deletes an endpoint. Of the first one, only the URL can be changed. */
export function EndpointDialog({ libraryId, endpoint, onDone, onClose }: Props) {
  const url = useSignal(endpoint?.url ?? '');
  const name = useSignal(endpoint?.name ?? '');
  const events = useSignal<readonly number[] | null>(endpoint?.events ?? null);
  const isEnabled = useSignal(endpoint?.enabled ?? true);
  /** True while the dialog asks whether to delete the endpoint. */
  const isAsked = useSignal(false);
  const isFirst = endpoint?.guid === NIL;
  const running = useAction();
  const path = `/library/${libraryId}/webhook-endpoints`;
  const done = (text: string) => {
    toast(text);
    onDone();
    onClose();
  };
  const save = (event: Event) => {
    event.preventDefault();
    void running.run(async () => {
      const fields = { url: url.value.trim(), name: name.value.trim(), events: events.value, enabled: isEnabled.value };
      if (isFirst) await api('POST', `/videolibrary/${libraryId}`, { WebhookUrl: fields.url });
      else await api('POST', endpoint === null ? path : `${path}/${endpoint.guid}`, fields);
      done(t('Endpoint saved.'));
    });
  };
  const remove = () =>
    running.run(async () => {
      if (isFirst) await api('POST', `/videolibrary/${libraryId}`, { WebhookUrl: '' });
      else await api('DELETE', `${path}/${endpoint?.guid}`);
      done(t('Endpoint deleted.'));
    });
  if (endpoint !== null && isAsked.value) {
    const back = () => (isAsked.value = false);
    return <DeleteQuestion {...{ endpoint, running, onClose }} onConfirm={() => void remove()} onBack={back} />;
  }
  return (
    <Dialog title={endpoint === null ? t('Add endpoint') : t('Edit endpoint')} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <label>
          {t('URL')}
          <input
            type="url"
            required
            placeholder={SCHEME}
            value={url.value}
            onInput={({ currentTarget }) => (url.value = currentTarget.value)}
          />
        </label>
        {isPrivateUrl(url.value) && (
          <Notice kind="warn">
            {t('Events to private addresses are sent only if MILLRACE_OUTBOUND_ALLOW lists them.')}
          </Notice>
        )}
        {isFirst ? (
          <p class="hint">
            {t(
              'This is the WebhookUrl of the library in the API. It gets all events. Add an endpoint to choose events.',
            )}
          </p>
        ) : (
          <>
            <TextField label={t('Name (optional)')} value={name.value} onChange={(text) => (name.value = text)} />
            <EventChoice chosen={events.value} onChange={(to) => (events.value = to)} />
            <Check label={t('Send events')} value={isEnabled.value} onChange={(isOn) => (isEnabled.value = isOn)} />
          </>
        )}
        {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
        <div class="row spread">
          {endpoint === null ? (
            <span />
          ) : (
            <button type="button" class="quiet" disabled={running.isBusy.value} onClick={() => (isAsked.value = true)}>
              {t('Delete endpoint')}
            </button>
          )}
          <button type="submit" class="primary" disabled={running.isBusy.value || events.value?.length === 0}>
            {endpoint === null ? t('Add endpoint') : t('Save changes')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

type QuestionProps = {
  endpoint: WebhookEndpointModel;
  running: RunningAction;
  onConfirm: () => void;
  onBack: () => void;
  onClose: () => void;
};

function DeleteQuestion({ endpoint, running, onConfirm, onBack, onClose }: QuestionProps) {
  return (
    <Dialog title={t('Delete {0}', nameOfEndpoint(endpoint))} onClose={onClose}>
      <p>
        {endpoint.guid === NIL
          ? t('The library no longer sends events to this URL.')
          : t('Its signing secret and its deliveries are deleted too.')}
      </p>
      {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
      <div class="row spread">
        <button type="button" onClick={onBack}>
          {t('Cancel')}
        </button>
        <button type="button" class="danger" disabled={running.isBusy.value} onClick={onConfirm}>
          {t('Delete endpoint')}
        </button>
      </div>
    </Dialog>
  );
}

/** Events that a new choice begins with: the ones that most receivers need. */
const USUAL: readonly number[] = [3, 5];

type ChoiceProps = { chosen: readonly number[] | null; onChange: (to: readonly number[] | null) => void };

function EventChoice({ chosen, onChange }: ChoiceProps) {
  /** Events to choose again after "All events". */
  const latest = useRef(chosen ?? USUAL);
  if (chosen !== null) latest.current = chosen;
  const turn = (status: number, isOn: boolean) =>
    onChange(EVENTS.map(([one]) => one).filter((one) => (one === status ? isOn : (chosen?.includes(one) ?? false))));
  return (
    <fieldset class="event-choice">
      <legend>{t('Events')}</legend>
      <label class="check">
        <input type="radio" name="events" checked={chosen === null} onChange={() => onChange(null)} />
        {t('All events')}
      </label>
      <label class="check">
        <input type="radio" name="events" checked={chosen !== null} onChange={() => onChange(latest.current)} />
        {t('Only these')}
      </label>
      {chosen !== null && (
        <div class="columns tight">
          {EVENTS.map(([status, label]) => (
            <Check
              key={status}
              label={tr(label)}
              value={chosen.includes(status)}
              onChange={(isOn) => turn(status, isOn)}
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}
