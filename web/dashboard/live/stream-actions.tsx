import { useSignal } from '@preact/signals';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { Notice } from '../parts/parts.tsx';
import { ON_AIR } from './stream-state.ts';

type Props = { path: string; status: number; onChanged: () => void; onDeleted: () => void };

/** Start, stop and delete buttons, each shown if the stream allows it. */
export function StreamActions({ path, status, onChanged, onDeleted }: Props) {
  const asked = useSignal<'stop' | 'delete' | null>(null);
  const running = useAction();
  const act = (method: string, action: string, after: () => void) =>
    running.run(async () => {
      await api(method, path + action);
      asked.value = null;
      after();
    });
  const confirm = (label: string, run: () => void) => (
    <>
      {/* First, so that the second click of a double click does nothing. */}
      <button type="button" onClick={() => (asked.value = null)}>
        {t('Cancel')}
      </button>
      <button type="button" class="bad" disabled={running.isBusy.value} onClick={run}>
        {label}
      </button>
    </>
  );
  return (
    <div class="row">
      {asked.value === null && status === ON_AIR && (
        <button type="button" class="bad" onClick={() => (asked.value = 'stop')}>
          {t('End…')}
        </button>
      )}
      {asked.value === null && status !== ON_AIR && (
        <>
          {status < ON_AIR && (
            <button
              type="button"
              class="primary"
              disabled={running.isBusy.value}
              onClick={() => act('PUT', '/start', onChanged)}
            >
              {t('Start')}
            </button>
          )}
          <button type="button" class="quiet" onClick={() => (asked.value = 'delete')}>
            {t('Delete…')}
          </button>
        </>
      )}
      {asked.value === 'stop' && confirm(t('End stream'), () => void act('PUT', '/stop', onChanged))}
      {asked.value === 'delete' && confirm(t('Delete permanently'), () => void act('DELETE', '', onDeleted))}
      {running.error.value !== null && <Notice kind="error">{running.error.value}</Notice>}
    </div>
  );
}
