import { useSignal } from '@preact/signals';
import type { ChatWebhookModel, UpdateChatWebhookModel } from '../../../src/api/models/chat-webhook.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { useDraft } from '../base/drafts.ts';
import { LANGUAGES, t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { EVENT_LABELS } from '../base/notifications.ts';
import { moment } from '../base/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Check, Panel, SelectField, TextField } from '../parts/fields.tsx';
import { Loading, Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

const URL_HINT = 'URL of an incoming webhook. For Discord, add /slack to it. It is stored encrypted.';

/** Posts notifications of a library to Slack, Mattermost or Discord. */
export function ChatWebhook({ libraryId }: { libraryId: number }) {
  const path = `/library/${libraryId}/chat-webhook`;
  const { value, error, again } = useLoaded<ChatWebhookModel>(path);
  const stored = value.value;
  if (stored === null) return <Loading error={error.value} />;
  // A deleted webhook starts again with an empty form.
  return <Editor key={stored.maskedUrl === null ? 'new' : 'set'} path={path} stored={stored} onChanged={again} />;
}

type EditorProps = { path: string; stored: ChatWebhookModel; onChanged: () => void };
type Edited = Required<UpdateChatWebhookModel>;

function Editor({ path, stored, onChanged }: EditorProps) {
  const { maskedUrl, events, language, enabled } = stored;
  const isNew = maskedUrl === null;
  const initial: Edited = { url: '', events, language, enabled: isNew || enabled };
  const { value, isDirty, resets, change } = useDraft(initial, {
    name: t('Chat notifications'),
    save: async (edits) => {
      const { url = '', ...others } = isNew ? { ...initial, ...edits } : edits;
      await api('POST', path, { ...others, ...(url !== '' && { url: url.trim() }) });
      onChanged();
    },
    findFault: (edited) => {
      if (isNew && edited.url.trim() === '') return t('Enter the webhook URL first.');
      return edited.events.length === 0 ? t('Choose at least one event.') : null;
    },
  });
  const turn = (event: Edited['events'][number], isOn: boolean) => {
    const chosen = EVENT_LABELS.map(([each]) => each);
    change({ events: chosen.filter((each) => (each === event ? isOn : value.events.includes(each))) });
  };
  return (
    <Panel
      title={t('Chat notifications')}
      hint={t('Posts to Slack, Mattermost or Discord when something happens in this library.')}
    >
      <div class="stack" key={resets}>
        <TextField
          label={t('Webhook URL')}
          value={value.url}
          hint={isNew ? t(URL_HINT) : t('Stored: {0}. A new URL replaces it.', maskedUrl)}
          onChange={(url) => change({ url })}
        />
        <fieldset class="event-choice">
          <legend>{t('Events')}</legend>
          {EVENT_LABELS.map(([event, label]) => (
            <Check
              key={event}
              label={t(label)}
              value={value.events.includes(event)}
              onChange={(isOn) => turn(event, isOn)}
            />
          ))}
        </fieldset>
        <SelectField
          label={t('Language of the messages')}
          value={value.language}
          choices={Object.entries(LANGUAGES)}
          onChange={(code) => change({ language: code as Edited['language'] })}
        />
        <Check
          label={t('Post notifications')}
          hint={t('Events of the same minute are posted as one message.')}
          value={value.enabled}
          onChange={(isOn) => change({ enabled: isOn })}
        />
      </div>
      {!isNew && !isDirty && <Stored path={path} stored={stored} onChanged={onChanged} />}
    </Panel>
  );
}

function Stored({ path, stored, onChanged }: EditorProps) {
  const { dateSent, lastError, dateFailed } = stored;
  const running = useAction();
  const isAsked = useSignal(false);
  const test = () =>
    running.run(async () => {
      const { delivered } = await api<{ delivered: boolean }>('POST', `${path}/test`);
      if (delivered) toast(t('Test message delivered.'));
      onChanged();
    });
  const remove = () =>
    running.run(async () => {
      await api('DELETE', path);
      toast(t('Chat webhook deleted.'));
      onChanged();
    });
  return (
    <div class="stack">
      <div role="status" class="stack tight">
        {dateSent !== null && <span class="hint">{t('Last message: {0}', moment(dateSent))}</span>}
        {lastError !== null && (
          <Notice kind="error">
            {t('Last failure, {0}: {1}', dateFailed === null ? '' : moment(dateFailed), lastError)}
          </Notice>
        )}
      </div>
      {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
      <div class="row">
        <button type="button" disabled={running.isBusy.value} onClick={() => void test()}>
          {t('Send test message')}
        </button>
        <button type="button" class="quiet" onClick={() => (isAsked.value = true)}>
          {t('Delete chat webhook')}
        </button>
      </div>
      {isAsked.value && (
        <Dialog title={t('Delete chat webhook')} onClose={() => (isAsked.value = false)}>
          <p>{t('Notifications are no longer posted to this chat.')}</p>
          <div class="row spread">
            <button type="button" onClick={() => (isAsked.value = false)}>
              {t('Cancel')}
            </button>
            <button type="button" class="danger" disabled={running.isBusy.value} onClick={() => void remove()}>
              {t('Delete chat webhook')}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
