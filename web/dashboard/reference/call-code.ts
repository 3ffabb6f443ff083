import type { Call } from '../base/calls.ts';
import { asCommand, asTypeScript } from '../base/snippets.ts';

/** Languages of the code of one call. */
export const CALL_LANGUAGES = ['curl', 'Node', 'Python', 'SDK', 'millrace'] as const;
export type CallLanguage = (typeof CALL_LANGUAGES)[number];

/** Name of the file in code that sends bytes. */
const FILE = 'film.mp4';

type Sent = Omit<Call, 'id'>;
type Target = { url: string; key: string };

const WRITERS: Readonly<Record<CallLanguage, (call: Sent, target: Target) => string>> = {
  curl: writeCurl,
  Node: writeNode,
  Python: writePython,
  SDK: writeSdk,
  millrace: writeCommand,
};

/** Returns a program that makes one call. A `Blob` as body stands for the file in the reader's folder. */
export function callCode(language: CallLanguage, call: Sent, target: Target): string {
  return WRITERS[language](call, target);
}

function writeCurl({ method, path, body }: Sent, { url, key }: Target): string {
  const parts = [
    `curl -sS --fail-with-body ${method === 'HEAD' ? '-I' : `-X ${method}`}`,
    `-H ${shell(`AccessKey: ${key}`)}`,
  ];
  if (body instanceof Blob) parts.push(`-T ${FILE}`);
  else if (body !== undefined) parts.push(`-H 'Content-Type: application/json' -d ${shell(JSON.stringify(body))}`);
  return [...parts, shell(url + path)].join(' \\\n  ');
}

function writeNode({ method, path, body }: Sent, { url, key }: Target): string {
  const isFile = body instanceof Blob;
  const value = isFile ? `await openAsBlob('${FILE}')` : `JSON.stringify(${JSON.stringify(body)})`;
  const lines = [
    `const response = await fetch(${JSON.stringify(url + path)}, {`,
    `  method: '${method}',`,
    `  headers: { AccessKey: ${JSON.stringify(key)} },`,
    ...(body === undefined ? [] : [`  body: ${value},`]),
    '});',
    'console.log(response.status, await response.text());',
  ];
  return [...(isFile ? ["import { openAsBlob } from 'node:fs';", ''] : []), ...lines].join('\n');
}

function writePython({ method, path, body }: Sent, { url, key }: Target): string {
  const value = body instanceof Blob ? `open("${FILE}", "rb")` : `${JSON.stringify(JSON.stringify(body))}.encode()`;
  return [
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${JSON.stringify(url + path)},`,
    ...(body === undefined ? [] : [`    ${value},`]),
    `    headers={"AccessKey": ${JSON.stringify(key)}, "Content-Type": "application/octet-stream"},`,
    `    method="${method}",`,
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    print(response.status, response.read().decode())',
  ].join('\n');
}

function writeSdk(call: Sent, { url, key }: Target): string {
  const isFile = call.body instanceof Blob;
  return [
    ...(isFile ? ["import { openAsBlob } from 'node:fs';"] : []),
    "import { Millrace } from 'millrace-sdk';",
    '',
    `const millrace = new Millrace({ url: ${JSON.stringify(url)}, key: ${JSON.stringify(key)} });`,
    ...(isFile ? [`const file = await openAsBlob('${FILE}');`] : []),
    `const result = ${asTypeScript(call)}`,
    'console.log(result);',
  ].join('\n');
}

function writeCommand(call: Sent, { url, key }: Target): string {
  const options = `--url ${shell(url)} --key ${shell(key)}`;
  return `${asCommand(call)
    .replace(/^millrace/, `millrace ${options}`)
    .replace(/ < FILE$/, ` < ${FILE}`)}`;
}

function shell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
