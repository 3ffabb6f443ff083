import type { AuditLineModel } from '../../../src/api/models/audit.ts';
import { t, tr } from '../base/language.ts';
import { EVENT_LABELS } from '../base/notifications.ts';
import { wordsOf } from './audit-actions.ts';
import { FIELD_LABELS } from './field-labels.ts';
import { EVENTS } from './webhook-events.ts';

type Change = AuditLineModel['Changes'][number];

/** Number of changes that are shown at once. */
const SHOWN = 3;

/** Names of fields that have no label in the settings, and that their words do not describe. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  metaTags: 'Meta tags',
  Role: 'Role in the account',
  LibraryRoles: 'Roles in single libraries',
  ...FIELD_LABELS,
};

/** Changed fields with their old and new values. */
export function AuditChanges({ changes }: { changes: readonly Change[] }) {
  const real = changes.filter(({ Old, New }) => (Old ?? '') !== (New ?? ''));
  if (real.length === 0) return null;
  const rest = real.slice(SHOWN);
  return (
    <>
      <List changes={real.slice(0, SHOWN)} />
      {rest.length > 0 && (
        <details>
          <summary class="hint">{t('{0} more', rest.length)}</summary>
          <List changes={rest} />
        </details>
      )}
    </>
  );
}

function List({ changes }: { changes: readonly Change[] }) {
  return (
    <ul class="audit-changes">
      {changes.map(({ Field, Old, New }) => (
        <li key={Field}>
          <span class="hint">{labelOf(Field)}:</span> <Value text={wordsIn(Field, Old)} />
          {' → '}
          <Value text={wordsIn(Field, New)} />
        </li>
      ))}
    </ul>
  );
}

function labelOf(field: string): string {
  const [, rung] = /^Bitrate(\d+p)$/.exec(field) ?? [];
  if (rung !== undefined) return t('Bitrate of {0}', rung);
  return tr((Object.hasOwn(FIELD_NAMES, field) ? FIELD_NAMES[field] : undefined) ?? wordsOf(field));
}

/** Events of webhooks are numbers, those of notifications are words. */
function wordsIn(field: string, text: string | null): string | null {
  const isChosen = ['events', 'ChatEvents', 'NotifiedInDashboard', 'NotifiedByEmail'].includes(field);
  if (!isChosen || text === null) return text;
  const all: readonly (readonly [number | string, string])[] = field === 'events' ? EVENTS : EVENT_LABELS;
  const labels = text.split(', ').map((event) => all.find(([known]) => String(known) === event)?.[1] ?? event);
  return labels.map((label) => tr(label)).join(', ');
}

function Value({ text }: { text: string | null }) {
  if (text === null || text === '') return <span class="hint">{t('nothing')}</span>;
  return <bdi>{text}</bdi>;
}
