import { signal } from '@preact/signals';
import { connection } from '../base/api.ts';
import type { Call } from '../base/calls.ts';
import { t } from '../base/language.ts';
import { TextField } from '../parts/fields.tsx';
import { CALL_LANGUAGES, type CallLanguage, callCode } from './call-code.ts';
import { Code, CodeTabs } from './code-tabs.tsx';
import { accountKey, libraryKey, NO_KEY } from './example-key.ts';
import { KeyFields } from './guide.tsx';

/** Language of the examples, kept while the reader moves between operations. */
const language = signal<CallLanguage>('curl');

/** Code that makes a call, in several languages, with the reader's key. */
export function CallExamples({ call, isForAccount }: { call: Omit<Call, 'id'>; isForAccount: boolean }) {
  const known = isForAccount ? accountKey : libraryKey;
  const key = known.value === '' ? NO_KEY : known.value;
  return (
    <section class="panel">
      <h3>{t('Code examples')}</h3>
      {isForAccount ? (
        <TextField
          label={t('Account key')}
          isSecret
          value={accountKey.value}
          onChange={(text) => (accountKey.value = text)}
          hint={t('This operation needs the account key. It is inserted in the code below and stays in this page.')}
        />
      ) : (
        <KeyFields />
      )}
      <CodeTabs languages={CALL_LANGUAGES} chosen={language.value} onChoose={(each) => (language.value = each)} />
      <Code label={language.value} code={callCode(language.value, call, { url: connection.url, key })} secret={key} />
    </section>
  );
}
