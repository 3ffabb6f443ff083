import type { LiveStreamModel } from '../../../src/api/models/live-stream.ts';
import { api } from '../base/api.ts';
import { useDraft } from '../base/drafts.ts';
import { t } from '../base/language.ts';
import { Check, NumberField, Panel, TextField } from '../parts/fields.tsx';

const USUAL_WINDOW_MIN = 30;

/** Settings of a stream: title, schedule, recording and DVR window. */
export function StreamSettings({
  path,
  stream,
  onSaved,
}: {
  path: string;
  stream: LiveStreamModel;
  onSaved: () => void;
}) {
  const { value, change } = useDraft(stream, {
    name: t('Settings'),
    findFault: ({ title }) => ((title ?? '').trim() === '' ? t('The title is empty. Enter one.') : null),
    async save(edits) {
      await api('PUT', path, edits);
      onSaved();
    },
  });
  return (
    <Panel title={t('Settings')}>
      <div class="stack">
        <TextField label={t('Stream title')} value={value.title ?? ''} onChange={(title) => change({ title })} />
        <label>
          {t('Scheduled start')}
          <input
            type="datetime-local"
            value={localTime(value.scheduledStartTime ?? null)}
            onInput={({ currentTarget: { value } }) =>
              change({ scheduledStartTime: value === '' ? null : new Date(value).toISOString() })
            }
          />
        </label>
        <Check
          label={t('Show a countdown')}
          hint={t('The player counts down to the scheduled start.')}
          value={value.enableCountdown !== false}
          onChange={(enableCountdown) => change({ enableCountdown })}
        />
        <Check
          label={t('Keep the recording')}
          hint={t('When the stream ends, its recording becomes a video at the same URL.')}
          value={value.recordVod ?? false}
          onChange={(recordVod) => change({ recordVod })}
        />
        <Check
          label={t('Viewers can rewind (DVR)')}
          value={value.dvrEnabled ?? false}
          onChange={(dvrEnabled) =>
            change({ dvrEnabled, ...(dvrEnabled && { dvrWindowSeconds: USUAL_WINDOW_MIN * 60 }) })
          }
        />
        {value.dvrEnabled === true && (
          <NumberField
            label={t('DVR window (minutes)')}
            value={Math.round((value.dvrWindowSeconds ?? USUAL_WINDOW_MIN * 60) / 60)}
            onChange={(minutes) => change({ dvrWindowSeconds: Math.min(43_200, Math.max(60, minutes * 60)) })}
          />
        )}
        <Check
          label={t('Public')}
          hint={t(
            'If off, the stream and its recording are private: they play only with a signed URL or a share link.',
          )}
          value={value.public ?? true}
          onChange={(isPublic) => change({ public: isPublic })}
        />
      </div>
    </Panel>
  );
}

/** Converts a time of the API to the value of a local time input. */
function localTime(text: string | null): string {
  if (text === null) return '';
  const time = new Date(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
