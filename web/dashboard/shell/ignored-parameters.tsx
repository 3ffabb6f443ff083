import { t } from '../base/language.ts';
import { query, type Route, replaceQuery } from '../base/router.ts';
import { LIST_PARAMETERS } from '../videos/list-query.ts';

/** Returns whether a screen uses a value of a parameter. `all` is the complete query. */
type Check = (value: string, all: URLSearchParams) => boolean;

/** Parameters that screens read. All others read none. */
const READ: Readonly<Partial<Record<Route['name'], Readonly<Record<string, Check>>>>> = {
  videos: LIST_PARAMETERS,
  // The reference explains unknown operations.
  reference: { operation: () => true },
};

const MAX_SHOWN = 5;
const MAX_CHARS = 60;

/** A notice if the URL has parameters that a screen ignores, with a button that removes them from the URL. */
export function IgnoredParameters({ name }: { name: Route['name'] }) {
  const used = new URLSearchParams();
  const ignored: string[] = [];
  const seen = new Set<string>();
  for (const [parameter, value] of query.value) {
    const check = Object.entries(READ[name] ?? {}).find(([known]) => known === parameter)?.[1];
    // Only the first value of a parameter is read, and empty values mean nothing.
    const isFirst = !seen.has(parameter);
    seen.add(parameter);
    const isUsed = value === '' || (isFirst && check?.(value, query.value) === true);
    if (isUsed) used.append(parameter, value);
    else ignored.push(shorten(`${parameter}=${value}`));
  }
  if (ignored.length === 0) return null;
  return (
    <div class="state-banner busy ignored" role="status">
      <p>{t('This page does not know these parts of its address and ignores them: {0}', listShort(ignored))}</p>
      <button type="button" onClick={() => replaceQuery(used)}>
        {t('Correct the address')}
      </button>
    </div>
  );
}

function listShort(texts: readonly string[]): string {
  return [...texts.slice(0, MAX_SHOWN), ...(texts.length > MAX_SHOWN ? ['…'] : [])].join(', ');
}

function shorten(text: string): string {
  const letters = Array.from(text);
  return letters.length <= MAX_CHARS ? text : `${letters.slice(0, MAX_CHARS - 1).join('')}…`;
}
