import type { VideoActivityModel } from '../../../src/api/models/activity.ts';
import { said, t } from '../base/language.ts';
import { taskName } from '../base/task-words.ts';
import { moment } from '../base/words.ts';
import { Panel } from '../parts/fields.tsx';
import { CopyButton } from '../parts/parts.tsx';

type Attempt = VideoActivityModel['failedAttempts'][number];

/** Logs of failed encodes, each to be opened and downloaded. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <Panel title={t('Failed attempts')} hint={t('Last lines of the encoder log.')}>
      {attempts.map((attempt) => (
        <details key={`${attempt.dateFailed} ${attempt.log.length}`} class="attempt">
          <summary>
            {nameOf(attempt)} <span class="hint">{moment(attempt.dateFailed)}</span>
          </summary>
          <p>
            {said(attempt.reason)} <code class="hint">{attempt.kind}</code>
          </p>
          <pre class="log">{attempt.log}</pre>
          <CopyButton label={t('Log of {0}', nameOf(attempt))} text={`${attempt.reason}\n\n${attempt.log}`} />
        </details>
      ))}
    </Panel>
  );
}

function nameOf({ kind, renditions, fromSegment, toSegment }: Attempt): string {
  const name = [taskName(kind), ...renditions].join(' · ');
  return `${name}, ${t('segments {0} to {1}', fromSegment, toSegment - 1)}`;
}
