import { useSignal } from '@preact/signals';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { Table, TextField } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { CallExamples } from './call-examples.tsx';
import { exampleLibrary } from './example-key.ts';
import { type Listed, needsAccountKey, type OpenApi, resolve, type Schema, typeName } from './openapi.ts';

/** One operation: its description, parameters and models, and a form that runs it with this session. */
export function OperationPage({ listed, document }: { listed: Listed; document: OpenApi }) {
  const { method, path, operation } = listed;
  const values = useSignal<Record<string, string>>({ libraryId: `${exampleLibrary()}` });
  const [bodyType = '', content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const bodySchema = content?.schema;
  const body = useSignal(firstBody(content?.example, resolve(bodySchema, document)));
  const address = fillIn(listed, values.value);
  const sent = body.value === '' ? undefined : parse(body.value);
  const call = { method, path: address, body: sent };
  return (
    <article class="stack operation-page">
      <h2>
        <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
      </h2>
      <p>{withCode(operation.description ?? operation.summary ?? '')}</p>
      <Parameters
        listed={listed}
        values={values.value}
        onChange={(name, text) => (values.value = { ...values.value, [name]: text })}
      />
      {bodySchema !== undefined && (
        <section class="panel">
          <h3>
            {t('Body')}: {typeName(bodySchema)}
          </h3>
          <Model schema={resolve(bodySchema, document)} />
          <label>
            {t('Request body (JSON)')}
            <textarea rows={5} value={body.value} onInput={(event) => (body.value = event.currentTarget.value)} />
          </label>
        </section>
      )}
      <TryIt call={call} />
      <CallExamples
        call={bodyType === '*/*' ? { ...call, body: new Blob() } : call}
        isForAccount={needsAccountKey(listed)}
      />
      <Answers listed={listed} document={document} />
    </article>
  );
}

/** Returns a text with the parts between backticks as code. */
function withCode(text: string) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

type ParametersProps = {
  listed: Listed;
  values: Record<string, string>;
  onChange: (name: string, text: string) => void;
};

function Parameters({ listed: { operation }, values, onChange }: ParametersProps) {
  const parameters = (operation.parameters ?? []).filter((one) => one.in === 'path' || one.in === 'query');
  if (parameters.length === 0) return null;
  return (
    <section class="panel">
      <h3>{t('Parameters')}</h3>
      <div class="columns tight">
        {parameters.map(({ name, in: place, description, schema }) => (
          <TextField
            key={name}
            label={`${name} (${place}, ${typeName(schema)})`}
            {...(description !== undefined && { hint: description.replaceAll('`', '') })}
            value={values[name] ?? ''}
            onChange={(text) => onChange(name, text)}
          />
        ))}
      </div>
    </section>
  );
}

function TryIt({ call }: { call: { method: string; path: string; body: unknown } }) {
  const answer = useSignal<string | null>(null);
  const trying = useAction();
  const isReady = !call.path.includes('{');
  const run = () =>
    trying.run(async () => {
      answer.value = null;
      const found = await api<unknown>(call.method, call.path, call.body);
      answer.value = JSON.stringify(found, null, 2).slice(0, 20_000);
    });
  return (
    <section class="panel">
      <h3>{t('Try it')}</h3>
      <div class="row">
        <button type="button" class="primary" disabled={!isReady || trying.isBusy.value} onClick={run}>
          {t('Run')} {call.method}
        </button>
        <span class="hint">
          {isReady
            ? t('Sends a real request with the permissions of your session.')
            : t('Fill in the path parameters first.')}
        </span>
      </div>
      {trying.error.value !== null && <Notice kind="error">{trying.error.value}</Notice>}
      {answer.value !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it (WCAG 2.1.1).
        <pre class="code" tabIndex={0}>
          {answer.value}
        </pre>
      )}
    </section>
  );
}

function Answers({ listed: { operation }, document }: { listed: Listed; document: OpenApi }) {
  return (
    <section class="panel">
      <h3>{t('Responses')}</h3>
      {Object.entries(operation.responses ?? {}).map(([status, { description, content }]) => {
        const schema = Object.values(content ?? {})[0]?.schema;
        return (
          <details key={status}>
            <summary>
              <strong>{status}</strong> {description} <span class="hint">{typeName(schema)}</span>
            </summary>
            {schema !== undefined && <Model schema={resolve(schema, document)} />}
          </details>
        );
      })}
    </section>
  );
}

function Model({ schema }: { schema: Schema }) {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return null;
  return (
    <Table label={schema.title ?? t('Fields')} head={[t('Field'), t('Type'), t('Presence')]}>
      {fields.map(([name, field]) => (
        <tr key={name}>
          <th scope="row">
            <code>{name}</code>
          </th>
          <td>{typeName(field)}</td>
          <td class="hint">{schema.required?.includes(name) === true ? t('always present') : ''}</td>
        </tr>
      ))}
    </Table>
  );
}

function fillIn({ path, operation }: Listed, values: Record<string, string>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    values[name] ? encodeURIComponent(values[name]) : whole,
  );
  const inQuery = (operation.parameters ?? []).filter((one) => one.in === 'query' && (values[one.name] ?? '') !== '');
  const query = new URLSearchParams(inQuery.map(({ name }) => [name, values[name] ?? '']));
  return inQuery.length === 0 ? filled : `${filled}?${query}`;
}

/** Returns a body with the required fields of an operation. Empty if it needs none. */
function firstBody(example: unknown, { required = [] }: Schema): string {
  const fields = Object.entries(Object(example)).filter(([name]) => required.includes(name));
  return fields.length === 0 ? '' : JSON.stringify(Object.fromEntries(fields), null, 2);
}

/** Text that is not valid JSON yet is shown as typed. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
