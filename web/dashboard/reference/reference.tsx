import { useSignal } from '@preact/signals';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { changeQuery, query } from '../base/router.ts';
import { Notice } from '../parts/parts.tsx';
import { type Listed, listOperations, type OpenApi } from './openapi.ts';
import { OperationPage } from './operation-page.tsx';

/** API reference: operations with search, models, code snippets and a form that runs them. */
export function Reference() {
  const { value, error } = useLoaded<OpenApi>('/docs/openapi.json');
  const text = useSignal('');
  const document = value.value;
  if (document === null) {
    return error.value === null ? <div class="panel skeleton tall" /> : <Notice kind="error">{error.value}</Notice>;
  }
  const all = listOperations(document);
  const words = text.value.toLowerCase();
  const found = all.filter(({ id, operation: { description = '', summary = '', operationId = '' } }) =>
    `${id} ${operationId} ${summary} ${description}`.toLowerCase().includes(words),
  );
  const chosen = all.find(({ id }) => id === query.value.get('operation')) ?? found[0];
  return (
    <>
      <header class="place">
        <h1>{t('API reference')}</h1>
        <span class="hint">{t('{0} operations', all.length)}</span>
      </header>
      <div class="reference">
        <nav class="reference-list" aria-label={t('Operations')}>
          <input
            type="search"
            placeholder={t('Search operations')}
            aria-label={t('Search operations')}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
          <Groups found={found} chosenId={chosen?.id ?? ''} />
        </nav>
        {chosen !== undefined && <OperationPage key={chosen.id} listed={chosen} document={document} />}
      </div>
    </>
  );
}

function Groups({ found, chosenId }: { found: readonly Listed[]; chosenId: string }) {
  const groups = Map.groupBy(found, ({ group }) => group);
  return (
    <>
      {[...groups].map(([group, operations]) => (
        <section key={group}>
          <h2>{group}</h2>
          <ul>
            {operations.map(({ id, method, path }) => (
              <li key={id}>
                <button
                  type="button"
                  class="operation"
                  aria-current={id === chosenId ? 'true' : undefined}
                  onClick={() => changeQuery({ operation: id })}
                >
                  <span class={`method ${method.toLowerCase()}`}>{method}</span>
                  <span>{path}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
