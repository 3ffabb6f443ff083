/** Type of a field's value. `error` accepts any thrown value. */
type FieldType = 'text' | 'number' | 'flag' | 'error' | 'ports';

const text = (meaning: string) => ({ type: 'text', meaning }) as const;
const number = (meaning: string) => ({ type: 'number', meaning }) as const;
const flag = (meaning: string) => ({ type: 'flag', meaning }) as const;

/** Every field of log lines: its type, and its meaning with the unit. A name has one meaning in all events. */
export const LOG_FIELDS = {
  libraryId: number('Id of the library'),
  videoGuid: text('Id of the video'),
  streamGuid: text('Id of the live stream'),
  taskId: text('Id of the encode task'),
  jobId: text('Id of the job in the queue'),
  eventId: text('Id of the webhook event'),
  uploadId: text('Id of the resumable upload'),
  personId: text('Id of the person'),
  providerId: text('Id of the sign-in provider'),
  exportId: text('Id of the export'),
  passkeyId: text('Id of the passkey'),
  keyId: text('Id of the access key, or the name of a built-in key'),
  requestId: text('Id of the request that caused the line, also in the response header `X-Request-Id`'),
  session: number('Number of the publisher within its stream, counted from 1'),
  address: text('Address of the client'),
  host: text('Host of the receiver or of the origin'),
  objectKey: text('Key of the object in the store'),
  zone: text('Pull zone'),
  protocol: text('Protocol: `rtmp`, `rtmps`, `srt` or `whip`'),
  slot: text('Slot of the publisher: `primary` or `backup`'),
  channel: text('Channel of the notification: `chat` or `email`'),
  kind: text('Kind of the task, the job or the item'),
  scope: text('Rights of the key: `account`, `write` or `read`'),
  state: text('New state'),
  status: number('Status of the HTTP response'),
  videoStatus: number('Status in the webhook event'),
  method: text('HTTP method'),
  path: text('Path of the request, with secrets masked'),
  operation: text('Name of the operation'),
  reason: text('Reason, as text'),
  until: text('Time of the next attempt, or the expiry of a certificate (ISO 8601)'),
  attempt: number('Number of the attempt, from 1'),
  owner: text('Worker process, as host and process id'),
  name: text('Name'),
  version: text('Version of the program'),
  sandbox: text('Sandbox of the encoders'),
  publicUrl: text('URL of the API for clients'),
  edgeUrl: text('URL of the edge for viewers'),
  listeners: { type: 'ports', meaning: 'Port of each listener' } as const,
  mode: text('Mode of the folder, in octal, or of the quota: `soft` or `hard`'),
  exit: text('Exit code or signal of the process'),
  event: text('Name of the event'),
  suppressed: number('Number of lines of this event that were omitted since the previous line'),
  bytes: number('Number of bytes'),
  durationSec: number('Duration in seconds'),
  durationMs: number('Duration in milliseconds'),
  waitMs: number('Delay before the next attempt in milliseconds'),
  mediaSec: number('Duration of the media in seconds'),
  speed: number('Speed as a multiple of real time'),
  fromSegment: number('First segment'),
  toSegment: number('Segment after the last one'),
  count: number('Number of items'),
  resource: text('Resource of a quota, with its unit'),
  used: number('Use of the resource in its unit'),
  limit: number('Limit of the resource in its unit'),
  percent: number('Use in percent of the limit'),
  removed: number('Number of removed items'),
  damaged: number('Number of damaged items'),
  waiting: number('Number of waiting items'),
  dropped: number('Number of dropped items'),
  retries: flag('Whether there will be another attempt'),
  isIncomplete: flag('Whether a rendition or an image is missing'),
  deaths: number('Number of attempts that ended because the worker exited'),
  isRecovered: flag('Whether the stream continues after a restart of its process'),
  err: { type: 'error', meaning: 'Error: type, message, code and stack, with its causes' } as const,
} satisfies Record<string, { type: FieldType; meaning: string }>;

export type FieldName = keyof typeof LOG_FIELDS;

type ValueOf<T extends FieldType> = {
  text: string;
  number: number;
  flag: boolean;
  error: unknown;
  ports: Readonly<Record<string, number>>;
}[T];

/** A field as listed by an event. A question mark makes it optional. */
export type FieldRef = FieldName | `${FieldName}?`;

/** Values for the fields of an event. A null or undefined value of an optional field is left out of the line. */
export type FieldValues<Refs extends FieldRef> = {
  [Name in Extract<Refs, FieldName>]: ValueOf<(typeof LOG_FIELDS)[Name]['type']>;
} & {
  [Ref in Extract<Refs, `${string}?`> as Ref extends `${infer Name extends FieldName}?` ? Name : never]?:
    | ValueOf<(typeof LOG_FIELDS)[Ref extends `${infer Name extends FieldName}?` ? Name : never]['type']>
    | null
    | undefined;
};
