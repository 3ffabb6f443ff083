import type { SystemModel } from '../../../src/api/models/system.ts';
import { t } from '../base/language.ts';
import { moment } from '../base/words.ts';
import { CancelEncode } from '../parts/cancel-encode.tsx';
import { Panel } from '../parts/fields.tsx';
import { Link } from '../parts/parts.tsx';

type Line = SystemModel['Encodes'][number];

/** Running and waiting encodes, each with a cancel button. */
export function Encodes({ lines, onChanged }: { lines: readonly Line[]; onChanged: () => void }) {
  if (lines.length === 0) return null;
  return (
    <div class="columns">
      <Panel title={t('Videos being encoded')} hint={t('Running encodes first, then the longest waiting.')}>
        <ul class="rows">
          {lines.map((line) => (
            <li key={line.VideoId}>
              <span>
                <Link to={{ name: 'video', libraryId: line.LibraryId, videoId: line.VideoId, part: 'activity' }}>
                  {line.Title}
                </Link>
                <span class="hint block">
                  {stateOf(line)} · {t('since {0}', moment(line.Since))}
                </span>
              </span>
              <CancelEncode
                path={`/library/${line.LibraryId}/videos/${line.VideoId}`}
                title={line.Title}
                onCancelled={onChanged}
              />
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  );
}

function stateOf({ Planned: isPlanned, Percent: percent, Running: running }: Line): string {
  if (!isPlanned) return t('waiting to be probed');
  return running === 0 ? t('waiting at {0}%', percent) : t('running at {0}%', percent);
}
