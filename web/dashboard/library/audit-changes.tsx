import type { AuditLineModel } from '../../../src/api/models/audit.ts';
import { t, tr } from '../base/language.ts';
import { wordsOf } from './audit-actions.ts';

type Change = AuditLineModel['Changes'][number];

/** Number of changes that are shown at once. */
const SHOWN = 3;

/** Names of fields that their words do not describe. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  collectionId: 'Collection',
  url: 'URL',
  WebhookUrl: 'URL',
  metaTags: 'Meta tags',
  Role: 'Role in the account',
  LibraryRoles: 'Roles in single libraries',
};

/** Changed fields with their old and new values. */
export function AuditChanges({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return null;
  const rest = changes.slice(SHOWN);
  return (
    <>
      <List changes={changes.slice(0, SHOWN)} />
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
          <span class="hint">{tr(FIELD_NAMES[Field] ?? wordsOf(Field))}:</span> <Value text={Old} /> →{' '}
          <Value text={New} />
        </li>
      ))}
    </ul>
  );
}

function Value({ text }: { text: string | null }) {
  if (text === null || text === '') return <span class="hint">{t('nothing')}</span>;
  return <bdi>{text}</bdi>;
}
