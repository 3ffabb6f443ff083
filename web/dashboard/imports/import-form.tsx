import { useSignal } from '@preact/signals';
import type { ImportModel } from '../../../src/api/models/import.ts';
import type { SourceField } from '../../../src/catalog/imports/source-fields.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { go } from '../base/router.ts';
import { Check, NumberField, SelectField, TextField } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { importSources, type Source } from './import-sources.ts';

type Access = Partial<Record<SourceField, string>>;
type Limits = {
  concurrency: number;
  megabytesPerSec: number;
  dryRun: boolean;
  skipDuplicates: boolean;
  newGuids: boolean;
};

const LIMITS: Limits = { concurrency: 3, megabytesPerSec: 0, dryRun: true, skipDuplicates: false, newGuids: false };
const MEGABYTE = 1_000_000;

type Props = { libraryId: number; path: string; onMade: () => void };

/** Starts an import. A plan comes first by default. */
export function ImportForm({ libraryId, path, onMade }: Props) {
  const source = useSignal<Source>('bunny');
  const access = useSignal<Access>({});
  const limits = useSignal(LIMITS);
  const starting = useAction();
  const sources = importSources();
  const setLimits = (change: Partial<Limits>) => (limits.value = { ...limits.value, ...change });
  const start = (event: Event) => {
    event.preventDefault();
    void starting.run(async () => {
      const body = bodyOf(source.value, access.value, limits.value);
      const { guid } = await api<ImportModel>('POST', path, body);
      onMade();
      go({ name: 'imports', libraryId, part: guid });
    });
  };
  const { dryRun, skipDuplicates, newGuids } = limits.value;
  return (
    <form class="panel stack import-form" onSubmit={start}>
      <h2>{t('New import')}</h2>
      <SelectField
        label={t('Source')}
        value={source.value}
        choices={Object.entries(sources).map(([name, { title }]) => [name, title])}
        onChange={(to) => {
          // The choices are the names of the sources.
          source.value = to as Source;
          // A secret of one service must not be sent to another.
          access.value = {};
        }}
      />
      <Fields key={source.value} source={source.value} access={access.value} set={(to) => (access.value = to)} />
      <Bounds limits={limits.value} set={setLimits} />
      <Check
        label={t('Skip duplicates')}
        hint={t('Videos whose file is already in the library are moved to the trash after the transfer.')}
        value={skipDuplicates}
        onChange={(to) => setLimits({ skipDuplicates: to })}
      />
      <Check
        label={t('New GUIDs')}
        hint={t('For a copy of videos that this service already has. The report lists the old and the new GUIDs.')}
        value={newGuids}
        onChange={(to) => setLimits({ newGuids: to })}
      />
      <Check
        label={t('Dry run')}
        hint={t('Lists what would be imported, and what cannot be imported and why. You can then start the import.')}
        value={dryRun}
        onChange={(to) => setLimits({ dryRun: to })}
      />
      <p class="hint">{t('Files on your computer: millrace import folder PATH, or millrace import takeout PATH')}</p>
      {starting.error.value !== null && <Notice kind="error">{starting.error.value}</Notice>}
      <div class="row">
        <button type="submit" class="primary" disabled={starting.isBusy.value}>
          {dryRun ? t('Plan import') : t('Start import')}
        </button>
      </div>
    </form>
  );
}

function bodyOf(source: Source, { sourceLibraryId, ...access }: Access, limits: Limits): object {
  const { megabytesPerSec, ...rest } = limits;
  return {
    source,
    ...access,
    ...rest,
    ...(sourceLibraryId !== undefined && { sourceLibraryId: Number(sourceLibraryId) }),
    ...(megabytesPerSec > 0 && { bandwidth: Math.round(megabytesPerSec * MEGABYTE) }),
  };
}

type FieldsProps = { source: Source; access: Access; set: (access: Access) => void };

function Fields({ source, access, set }: FieldsProps) {
  const { rows, more } = importSources()[source];
  const inputs = (of: typeof rows) =>
    of.map(({ field, ...row }) => (
      <TextField
        key={field}
        {...row}
        value={access[field] ?? ''}
        onChange={(value) => set({ ...access, [field]: value })}
      />
    ));
  const isStream = source === 'bunny' || source === 'millrace';
  return (
    <>
      {inputs(rows)}
      {more.length > 0 && (
        <details>
          <summary>{isStream ? t('Without the account key') : t('More options')}</summary>
          <div class="stack">{inputs(more)}</div>
        </details>
      )}
    </>
  );
}

function Bounds({ limits, set }: { limits: Limits; set: (change: Partial<Limits>) => void }) {
  return (
    <>
      <NumberField
        label={t('Parallel transfers')}
        min={1}
        value={limits.concurrency}
        onChange={(concurrency) => set({ concurrency })}
      />
      <NumberField
        label={t('Bandwidth limit in MB/s')}
        hint={t('0 for no limit.')}
        min={0}
        value={limits.megabytesPerSec}
        onChange={(megabytesPerSec) => set({ megabytesPerSec })}
      />
    </>
  );
}
