import { useSignal } from '@preact/signals';
import type { ImportModel } from '../../../src/api/models/import.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { go } from '../base/router.ts';
import { Check, NumberField, SelectField, TextField } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';

type Form = {
  source: string;
  apiUrl: string;
  sourceLibraryId: string;
  accountKey: string;
  accessKey: string;
  cdnUrl: string;
  securityKey: string;
  concurrency: number;
  dryRun: boolean;
};

const EMPTY: Form = {
  source: 'bunny',
  apiUrl: '',
  sourceLibraryId: '',
  accountKey: '',
  accessKey: '',
  cdnUrl: '',
  securityKey: '',
  concurrency: 3,
  dryRun: true,
};

type Props = { libraryId: number; path: string; onMade: () => void };

/** Starts an import. A plan comes first by default. */
export function ImportForm({ libraryId, path, onMade }: Props) {
  const form = useSignal(EMPTY);
  const starting = useAction();
  const set = (change: Partial<Form>) => (form.value = { ...form.value, ...change });
  const start = (event: Event) => {
    event.preventDefault();
    void starting.run(async () => {
      const body = { ...form.value, sourceLibraryId: Number(form.value.sourceLibraryId) };
      const { guid } = await api<ImportModel>('POST', path, body);
      onMade();
      go({ name: 'imports', libraryId, part: guid });
    });
  };
  const { source, dryRun } = form.value;
  return (
    <form class="panel stack" onSubmit={start}>
      <h2>{t('New import')}</h2>
      <SelectField
        label={t('Source')}
        value={source}
        choices={[
          ['bunny', t('bunny Stream')],
          ['millrace', t('Another Millrace')],
        ]}
        onChange={(to) => set({ source: to })}
      />
      <Fields form={form.value} set={set} />
      <Check
        label={t('Dry run')}
        hint={t('Lists what would be imported, and what cannot be imported and why. You can then start the import.')}
        value={dryRun}
        onChange={(to) => set({ dryRun: to })}
      />
      {starting.error.value !== null && <Notice kind="error">{starting.error.value}</Notice>}
      <div class="row">
        <button type="submit" class="primary" disabled={starting.isBusy.value}>
          {dryRun ? t('Plan import') : t('Start import')}
        </button>
      </div>
    </form>
  );
}

function Fields({ form, set }: { form: Form; set: (change: Partial<Form>) => void }) {
  return (
    <>
      {form.source === 'millrace' && (
        <TextField label={t('API URL of the source')} value={form.apiUrl} onChange={(apiUrl) => set({ apiUrl })} />
      )}
      <TextField
        label={t('Library ID at the source')}
        value={form.sourceLibraryId}
        onChange={(sourceLibraryId) => set({ sourceLibraryId })}
      />
      <TextField
        label={t('Account key of the source')}
        isSecret
        hint={t('Used to look up the URL of the files and the token key.')}
        value={form.accountKey}
        onChange={(accountKey) => set({ accountKey })}
      />
      <details>
        <summary>{t('Without the account key')}</summary>
        <div class="stack">
          <TextField
            label={t('Library key of the source')}
            isSecret
            value={form.accessKey}
            onChange={(accessKey) => set({ accessKey })}
          />
          <TextField
            label={t('Base URL of the files')}
            hint={t('Such as https://vz-1234.b-cdn.net')}
            value={form.cdnUrl}
            onChange={(cdnUrl) => set({ cdnUrl })}
          />
          <TextField
            label={t('Token key of the files')}
            isSecret
            value={form.securityKey}
            onChange={(securityKey) => set({ securityKey })}
          />
        </div>
      </details>
      <NumberField
        label={t('Parallel transfers')}
        min={1}
        value={form.concurrency}
        onChange={(concurrency) => set({ concurrency })}
      />
    </>
  );
}
