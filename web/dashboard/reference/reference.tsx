import { useSignal } from '@preact/signals';
import { t, tr } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { changeQuery, prefix, query } from '../base/router.ts';
import { Notice } from '../parts/parts.tsx';
import { Guide } from './guide.tsx';
import { type Listed, listOperations, type OpenApi } from './openapi.ts';
import { OperationPage } from './operation-page.tsx';

/** Pages of the documentation that explain how to use the API. */
const GUIDES = [
  ['sdk', 'SDK'],
  ['embedding', 'Embedding'],
  ['webhooks', 'Webhooks'],
  ['live', 'Live streams'],
  ['viewers', 'Viewer access'],
  ['errors', 'Errors'],
] as const;

/** API reference: a guide, then operations with search, models, code snippets and a form that runs them. */
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
  const wanted = query.value.get('operation') ?? '';
  const chosen = all.find(({ id }) => id === wanted);
  return (
    <>
      <header class="place">
        <h1>{t('API reference')}</h1>
        <span class="hint">{t('{0} operations', all.length)}</span>
      </header>
      {wanted !== '' && chosen === undefined && (
        <Notice kind="warn">{t('This operation does not exist. Choose one from the list.')}</Notice>
      )}
      <div class="reference">
        <nav class="reference-list" aria-label={t('Operations')}>
          <input
            type="search"
            placeholder={t('Search operations')}
            aria-label={t('Search operations')}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
          {words === '' && <Guides isStart={chosen === undefined} />}
          <Groups found={found} chosenId={chosen?.id ?? ''} />
        </nav>
        {chosen === undefined ? <Guide /> : <OperationPage key={chosen.id} listed={chosen} document={document} />}
      </div>
    </>
  );
}

function Guides({ isStart }: { isStart: boolean }) {
  return (
    <section>
      <h2>{t('Guides')}</h2>
      <ul>
        <li>
          <button
            type="button"
            class="operation"
            aria-current={isStart ? 'true' : undefined}
            onClick={() => changeQuery({ operation: '' })}
          >
            {t('Your first video')}
          </button>
        </li>
        {GUIDES.map(([page, title]) => (
          <li key={page}>
            <a class="button operation" href={`${prefix}/docs/${page}`}>
              {tr(title)}
            </a>
          </li>
        ))}
      </ul>
    </section>
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
