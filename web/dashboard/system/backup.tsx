import type { SystemModel } from '../../../src/api/models/system.ts';
import { t } from '../base/language.ts';
import { bytes, moment, plural } from '../base/words.ts';
import { Panel } from '../parts/fields.tsx';
import { CopyField } from '../parts/parts.tsx';

/** Time of the last backup, and the command that creates one now. */
export function Backup({ backup }: { backup: SystemModel['Backup'] }) {
  return (
    <Panel title={t('Backup')} hint={t('A backup runs on the server and does not interrupt uploads or playback.')}>
      {backup === null ? (
        <p>{t('No backup yet. Create one with this command:')}</p>
      ) : (
        <dl>
          <dt>{t('Last backup')}</dt>
          <dd>{moment(backup.MadeAt)}</dd>
          <dt>{t('Contents')}</dt>
          <dd>
            {plural(backup.Objects, 'object')}, {bytes(backup.Bytes)}
          </dd>
          <dt>{t('Folder')}</dt>
          <dd>
            <code class="wrapped">{backup.Place}</code>
          </dd>
        </dl>
      )}
      <CopyField
        label={t('Command')}
        text={`millrace backup ${quoted(backup?.Place ?? '/backups/millrace')}`}
        isWrapped
      />
    </Panel>
  );
}

/** Quotes a path with spaces for a shell. */
function quoted(place: string): string {
  return /^[\w./-]+$/.test(place) ? place : `'${place.replaceAll("'", "'\\''")}'`;
}
