import { operations } from '../../../sdk/src/operations.table.ts';
import type { Call } from './calls.ts';

/** A call to be shown as code. */
type Snippet = Omit<Call, 'id'>;

/** Parameters that are numbers. */
const NUMBERS = [
  ...['id', 'libraryId', 'pullZoneId', 'shieldZoneId', 'page', 'itemsPerPage', 'perPage', 'limit', 'overlapSec'],
  ...['expires', 'fromByte', 'thumbnailTime', 'maxWidth', 'maxHeight', 'before', 'pullZone', 'serverZoneId'],
  'months',
];
/** Operations whose zone parameter is a string. */
const TEXT_ZONE = ['getFirstEventLogs', 'getEventLogs'];

/** Returns a curl command. `base` is the URL of the service. */
export function asCurl({ method, path, body }: Snippet, base: string): string {
  const parts = [`curl -X ${method}`, "-H 'AccessKey: KEY'"];
  if (body instanceof Blob) parts.push('--data-binary @FILE');
  else if (body !== undefined)
    parts.push(`-H 'Content-Type: application/json' -d '${shellText(JSON.stringify(body))}'`);
  return [...parts, `'${shellText(`${base}${path}`)}'`].join(' ');
}

/** Returns an SDK call by the name of the operation, or a plain request if no operation has this URL. */
export function asTypeScript(call: Snippet): string {
  const { method, path, body } = call;
  const found = findOperation(call);
  const given = body === undefined ? '' : body instanceof Blob ? 'file' : JSON.stringify(body);
  if (found === null) {
    const content = given === '' || body instanceof Blob ? given : `JSON.stringify(${given})`;
    return `await millrace.request('${method}', ${quoted(path)}${content === '' ? '' : `, ${content}`});`;
  }
  const values = Object.entries(found.values).map(([name, value]) => `${name}: ${asLiteral(found.name, name, value)}`);
  const input = [...values, ...(given === '' ? [] : [`body: ${given}`])];
  return `await millrace.call('${found.name}', { ${input.join(', ')} });`;
}

type Found = { name: string; values: Readonly<Record<string, string>> };

/** Returns the operation of a URL and the parameters in it. */
function findOperation({ method, path }: Snippet): Found | null {
  const { pathname, searchParams } = new URL(path, 'http://service');
  for (const [name, route] of Object.entries(operations)) {
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, each = '']) => each);
    const shape = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
    const found = route.method === method ? shape.exec(pathname) : null;
    if (found === null) continue;
    const inPath = names.map((each, index) => [each, decodeURIComponent(found[index + 1] ?? '')]);
    return { name, values: Object.fromEntries([...inPath, ...searchParams]) };
  }
  return null;
}

function asLiteral(operation: string, name: string, value: string): string {
  const isText = name === 'search' || (name === 'shieldZoneId' && TEXT_ZONE.includes(operation));
  if (isText) return JSON.stringify(value);
  const isNumber = NUMBERS.includes(name) && /^\d+$/.test(value);
  return isNumber || value === 'true' || value === 'false' ? value : JSON.stringify(value);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}

export function asCommand({ method, path, body }: Snippet): string {
  const content = body instanceof Blob ? ' < FILE' : body === undefined ? '' : ` '${shellText(JSON.stringify(body))}'`;
  return `millrace api ${method} '${shellText(path)}'${content}`;
}

function shellText(text: string): string {
  return text.replaceAll("'", "'\\''");
}
