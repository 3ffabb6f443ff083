import type { TObject } from 'typebox';
import type { AnswerContract, BodyContract, Contract } from '../define-operation.ts';

/** The part of JSON Schema that the models of the API use. */
type Schema = {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  patternProperties?: Readonly<Record<string, Schema>>;
  minimum?: number;
  minLength?: number;
  maxLength?: number;
  format?: string;
};

const GUID = '0192f000-0000-7000-8000-000000000001';
const TIME = '2026-11-21T09:30:00.125';

/** Example texts by the end of the lower-case field name. The first match is used. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/(guid|videoids?|collectionid|keyid|eventid|accountid|previewvideoids)$/, GUID],
  [/hash$/, 'LEHV6nWB2yk8pyo0adR*.7kCMdnj'],
  [/codecid$/, 'x264'],
  [/filename$/, 'thumbnail.jpg'],
  [/(date|time|timestamp|at|dateuploaded|datejoined|datecreated|datemodified)$/, TIME],
  [/^day$/, '2026-11-28'],
  [/webhookurl$/, 'https://shop.example/hooks/video'],
  [/thumbnail_?url$/, `https://media.example/vz-1/${GUID}/thumbnail.jpg`],
  [/playlisturl$/, `https://media.example/vz-1/${GUID}/playlist.m3u8`],
  [/fallbackurl$/, `https://media.example/vz-1/${GUID}/play_720p.mp4`],
  // Storage zones have no origin.
  [/originurl$/, ''],
  [/url$/, 'https://files.example/film.mp4'],
  [/html$/, `<iframe src="https://media.example/embed/1/${GUID}"></iframe>`],
  [/hostname$/, 'shop.example'],
  [/^value$/, 'A value'],
  [/^property$/, 'keywords'],
  [/label$/, 'English'],
  [/^(spc|ckc)$/, 'c3Bj'],
  [/srclang$|language$|shortcode$/, 'en'],
  [/captionsfile$/, 'V0VCVlRUCgowMDowMC4wMDAgLS0+IDAwOjAyLjAwMApIZWxsbwo='],
  [/resolutions?$/, '720p'],
  [/codecs?$/, 'x264'],
  [/message$/, 'OK'],
  [/color$/, '#ff7755'],
  [/(securitykey|apikey|^key)$/, '4742a81b-bf15-42fe-8b1c-8fcb9024c550'],
  [/^(name|libraryname)$/, 'Films'],
  [/title$/, 'A day at the sea'],
];

/** Example numbers by the lower-case field name. */
const NUMBERS: Readonly<Record<string, number>> = {
  statuscode: 200,
  width: 1920,
  height: 1080,
  length: 600,
  framerate: 25,
  end: 120,
  endms: 12_000,
  timestamp: 90,
  thumbnailtime: 5_000,
  expiresinsec: 2_592_000,
  itemsperpage: 100,
  currentpage: 1,
  totalitems: 1,
  storagesize: 48_000_000,
};

/** Returns a typical value for a schema; `name` is its field. */
export function exampleOf(schema: Schema, name = ''): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return exampleOf(schema.anyOf[0], name);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  switch (type) {
    case 'string':
      return exampleText(schema, name.toLowerCase());
    case 'integer':
    case 'number':
      return Math.max(NUMBERS[name.toLowerCase()] ?? (/id$/i.test(name) ? 1 : 0), schema.minimum ?? 0);
    case 'boolean':
      return /^success$/i.test(name);
    case 'array':
      return exampleList(schema.items ?? {}, name.replace(/s$/, ''));
    case 'object':
      return exampleObject(schema);
    default:
      return null;
  }
}

function exampleText({ format, minLength = 0, maxLength }: Schema, name: string): string {
  if (format === 'uuid') return GUID;
  if (format === 'date-time') return '2026-11-21T09:30:00Z';
  const known = TEXTS.find(([pattern]) => pattern.test(name))?.[1];
  return (known ?? '').padEnd(minLength, 'x').slice(0, maxLength);
}

/** Returns a list with one example item. A list of strings without a specific example is empty. */
function exampleList(items: Schema, name: string): unknown[] {
  const item = exampleOf(items, name);
  return item === '' || item === null ? [] : [item];
}

function exampleObject({ properties, patternProperties }: Schema): object {
  const [values] = Object.values(patternProperties ?? {});
  if (values !== undefined) return { example: exampleOf(values, 'value') };
  return Object.fromEntries(Object.entries(properties ?? {}).map(([name, field]) => [name, exampleOf(field, name)]));
}

type Called = Contract<TObject, TObject, BodyContract, AnswerContract>;

/** Returns a curl command that calls the operation on a service with its default ports. */
export function writeCurl(operation: Called): string {
  const { method, path, auth, params, body, exampleQuery } = operation;
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(exampleOf(fieldOf(params, name), name)));
  const query = exampleQuery === undefined ? '' : `?${exampleQuery}`;
  return [
    `curl -X ${method}`,
    ...(auth === 'none' ? [] : ["-H 'AccessKey: KEY'"]),
    ...(body === 'raw' ? ['--data-binary @FILE'] : []),
    ...(body === null || body === 'raw'
      ? []
      : [`-H 'Content-Type: application/json' -d '${JSON.stringify(exampleOf(body))}'`]),
    `'http://127.0.0.1:7700${address}${query}'`,
  ].join(' ');
}

function fieldOf({ properties }: TObject, name: string): Schema {
  return properties[name] ?? {};
}
