import { useSignal } from '@preact/signals';
import type { NotificationChoicesModel } from '../../../src/api/dashboard/add-notifications.ts';
import type { NotificationEvent } from '../../../src/catalog/notifications/notification.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { EVENT_LABELS } from '../base/notifications.ts';
import { Panel, Table } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

const PATH = '/dashboard/account/notifications';

/** The events about which the signed-in person is notified, by channel. */
export function OwnNotifications({ email }: { email: string }) {
  const { value, error } = useLoaded<NotificationChoicesModel>(PATH);
  return (
    <Panel title={t('Notifications')} hint={t('Choose your notifications for all libraries that you can see.')}>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {value.value !== null && <Choices stored={value.value} email={email} />}
    </Panel>
  );
}

type Channel = 'browser' | 'email';

function Choices({ stored, email }: { stored: NotificationChoicesModel; email: string }) {
  const { sendsMail, ...choices } = stored;
  const chosen = useSignal<Record<Channel, NotificationEvent[]>>(choices);
  const { error, isBusy, run } = useAction();
  const turn = (channel: Channel, event: NotificationEvent, isOn: boolean) => {
    const others = chosen.value[channel].filter((each) => each !== event);
    chosen.value = { ...chosen.value, [channel]: isOn ? [...others, event] : others };
  };
  const save = (submitted: Event) => {
    submitted.preventDefault();
    void run(async () => {
      await api('POST', PATH, chosen.value);
      toast(t('Saved.'));
    });
  };
  const check = (channel: Channel, event: NotificationEvent, label: string) => (
    <input
      type="checkbox"
      class="choice"
      aria-label={label}
      checked={chosen.value[channel].includes(event)}
      disabled={channel === 'email' && !sendsMail}
      onChange={({ currentTarget }) => turn(channel, event, currentTarget.checked)}
    />
  );
  return (
    <form class="stack" onSubmit={save}>
      <Table label={t('Notifications')} head={[t('Event'), t('Dashboard'), t('E-mail')]}>
        {EVENT_LABELS.map(([event, label]) => (
          <tr key={event}>
            <th scope="row">{t(label)}</th>
            <td>{check('browser', event, t('{0}: in the dashboard', t(label)))}</td>
            <td>{check('email', event, t('{0}: by e-mail', t(label)))}</td>
          </tr>
        ))}
      </Table>
      <p class="hint">
        {sendsMail
          ? t('E-mails are sent to {0}. Events of the same minute are sent together.', email)
          : t('No mail server is configured, so no e-mail is sent. The setting is MILLRACE_SMTP_URL.')}
      </p>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy.value}>
          {t('Save notifications')}
        </button>
      </div>
    </form>
  );
}
