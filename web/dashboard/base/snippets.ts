import type { Call } from './calls.ts';
import { prefix } from './router.ts';

/** A call that is written as code. */
type Snippet = Omit<Call, 'id'>;

export function asCurl({ method, path, body }: Snippet): string {
  const parts = [`curl -X ${method}`, "-H 'AccessKey: KEY'"];
  if (body instanceof Blob) parts.push('--data-binary @FILE');
  else if (body !== undefined)
    parts.push(`-H 'Content-Type: application/json' -d '${shellText(JSON.stringify(body))}'`);
  return [...parts, `'${location.origin}${prefix}${path}'`].join(' ');
}

export function asTypeScript({ method, path, body }: Snippet): string {
  const content =
    body instanceof Blob ? 'body: file' : body === undefined ? null : `body: JSON.stringify(${JSON.stringify(body)})`;
  const options = [`method: '${method}'`, 'headers: { AccessKey: key }', ...(content === null ? [] : [content])];
  return `const answer = await fetch('${location.origin}${prefix}${path}', { ${options.join(', ')} });`;
}

export function asCommand({ method, path, body }: Snippet): string {
  const content = body instanceof Blob ? ' < FILE' : body === undefined ? '' : ` '${shellText(JSON.stringify(body))}'`;
  return `millrace api ${method} '${path}'${content}`;
}

function shellText(text: string): string {
  return text.replaceAll("'", "'\\''");
}
