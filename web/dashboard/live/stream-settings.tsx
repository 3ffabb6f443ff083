import { useSignal } from '@preact/signals';
import type { LiveStreamModel, UpdateLiveStreamModel } from '../../../src/api/models/live-stream.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { Check, NumberField, Panel, TextField } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

const USUAL_WINDOW_MIN = 30;

/** Title, schedule, recording and how far viewers can seek back. */
export function StreamSettings({
  path,
  stream,
  onSaved,
}: {
  path: string;
  stream: LiveStreamModel;
  onSaved: () => void;
}) {
  const changes = useSignal<UpdateLiveStreamModel>({});
  const saving = useAction();
  const shown = { ...stream, ...changes.value };
  const change = (more: UpdateLiveStreamModel) => {
    changes.value = { ...changes.value, ...more };
  };
  const save = async (event: Event) => {
    event.preventDefault();
    if (!(await saving.run(() => api('PUT', path, changes.value)))) return;
    changes.value = {};
    toast(t('Saved.'));
    onSaved();
  };
  return (
    <Panel title={t('Settings')}>
      <form class="stack" onSubmit={save}>
        <TextField label={t('Stream title')} value={shown.title ?? ''} onChange={(title) => change({ title })} />
        <label>
          {t('Scheduled start')}
          <input
            type="datetime-local"
            value={localTime(shown.scheduledStartTime ?? null)}
            onInput={({ currentTarget: { value } }) =>
              change({ scheduledStartTime: value === '' ? null : new Date(value).toISOString() })
            }
          />
        </label>
        <Check
          label={t('Show a countdown')}
          hint={t('The player counts down to the scheduled start.')}
          value={shown.enableCountdown === true}
          onChange={(enableCountdown) => change({ enableCountdown })}
        />
        <Check
          label={t('Keep the recording')}
          hint={t('When the stream ends, its recording becomes a video at the same URL.')}
          value={shown.recordVod ?? false}
          onChange={(recordVod) => change({ recordVod })}
        />
        <Check
          label={t('Viewers can rewind (DVR)')}
          value={shown.dvrEnabled ?? false}
          onChange={(dvrEnabled) =>
            change({ dvrEnabled, ...(dvrEnabled && { dvrWindowSeconds: USUAL_WINDOW_MIN * 60 }) })
          }
        />
        {shown.dvrEnabled === true && (
          <NumberField
            label={t('DVR window (minutes)')}
            value={Math.round((shown.dvrWindowSeconds ?? USUAL_WINDOW_MIN * 60) / 60)}
            onChange={(minutes) => change({ dvrWindowSeconds: Math.min(43_200, Math.max(60, minutes * 60)) })}
          />
        )}
        <Check
          label={t('Public')}
          hint={t('If off, only signed URLs play.')}
          value={shown.public ?? true}
          onChange={(isPublic) => change({ public: isPublic })}
        />
        <div class="row">
          <button
            type="submit"
            class="primary"
            disabled={Object.keys(changes.value).length === 0 || saving.isBusy.value}
          >
            {t('Save changes')}
          </button>
          {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
        </div>
      </form>
    </Panel>
  );
}

/** Converts a time of the API to the value of a local time input. */
function localTime(text: string | null): string {
  if (text === null) return '';
  const time = new Date(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
