import { AuthError401, StatusModel } from '../models/status.ts';
import type { Components, Schema } from './component-schemas.ts';

const SIGNED = [{ AuthorizationSignature: [], AuthorizationExpire: [], VideoId: [], LibraryId: [] }];
const TUS = { $ref: '#/components/headers/TusResumable' };
const UPLOAD = 'http://127.0.0.1:7700/tusupload/0192f000-0000-7000-8000-000000000002';
const SIGNED_HEADERS =
  "-H 'Tus-Resumable: 1.0.0' -H 'LibraryId: 1' -H 'VideoId: GUID' -H 'AuthorizationExpire: 1800000000' -H " +
  "'AuthorizationSignature: HEX'";
const CHECKSUM = optional('Upload-Checksum', '"sha1", a space and the SHA-1 of these bytes in base64.', {
  type: 'string',
});
const OFFSET = { $ref: '#/components/headers/UploadOffset' };

type TusCall = {
  name: string;
  summary: string;
  description: string;
  /** Arguments of `curl` in its example. */
  example: string;
  asks: readonly Schema[];
  body?: Schema;
  status: number;
  says: string;
  gives: Record<string, Schema>;
  refuses: Readonly<Record<number, string>>;
};

/** Routes of the main port that are not operations: resumable uploads (tus 1.0.0) and the health of the service. */
export function rawRoutes(components: Components): Record<string, Schema> {
  const call = (parts: TusCall) => tusOperation(parts, components);
  return {
    '/healthz': { get: HEALTH },
    '/play/{libraryId}/{videoId}': { get: PLAY },
    '/tusupload': { post: call(CREATE), options: DESCRIBE },
    '/tusupload/{uploadId}': {
      parameters: [{ name: 'uploadId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
      head: call(ASK),
      patch: call(APPEND),
      delete: call(GIVE_UP),
    },
  };
}

/** The four headers that sign each request of a resumable upload. */
export const tusSecuritySchemes: Record<string, Schema> = {
  AuthorizationSignature: header(
    'AuthorizationSignature',
    'Hexadecimal SHA-256 of LibraryId, the ApiKey of the library, AuthorizationExpire and VideoId, joined as they are.',
  ),
  AuthorizationExpire: header(
    'AuthorizationExpire',
    'Unix time in seconds until which an upload may be created. An upload that was created in time may finish later.',
  ),
  VideoId: header('VideoId', 'GUID of the video that the upload is for.'),
  LibraryId: header('LibraryId', 'Id of the library of the video.'),
};

function header(name: string, description: string): Schema {
  return { type: 'apiKey', in: 'header', name, description };
}

const HEALTH = {
  operationId: 'getHealth',
  summary: 'Say whether every part of the service is ready',
  description:
    'Returns the state of the service. Requests from this machine, from trusted proxies and with a valid key get the ' +
    'version, the listeners, the state of every part, the storage and the problems; all others get `status` alone.',
  'x-codeSamples': [{ lang: 'Shell', source: 'curl http://127.0.0.1:7700/healthz' }],
  tags: ['Service'],
  security: [],
  responses: {
    200: { description: 'Every part is ready.', content: { 'application/json': { schema: { type: 'object' } } } },
    503: { description: 'A part starts or fails.', content: { 'application/json': { schema: { type: 'object' } } } },
  },
};

const PLAY = {
  operationId: 'openPlayer',
  summary: 'Open the player page of a video',
  description:
    'Redirects to the player page at the delivery address, with its query. That page decides whether it may be played.',
  tags: ['Service'],
  security: [],
  parameters: [
    { name: 'libraryId', in: 'path', required: true, schema: { type: 'integer' }, example: 1 },
    { name: 'videoId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
  ],
  responses: { 302: { description: 'Location is the page.' }, 404: { description: 'The address names no video.' } },
  'x-codeSamples': [
    { lang: 'Shell', source: 'curl -i http://127.0.0.1:7700/play/1/0192f000-0000-7000-8000-000000000001' },
  ],
};

const DESCRIBE = {
  operationId: 'describeUploads',
  summary: 'Discover the version and extensions of tus',
  description: 'Responds to the discovery request of tus 1.0.0 and to the preflights of browsers.',
  'x-codeSamples': [{ lang: 'Shell', source: 'curl -i -X OPTIONS http://127.0.0.1:7700/tusupload' }],
  tags: ['Resumable uploads'],
  security: [],
  responses: { 204: { description: 'Told by the headers Tus-Version, Tus-Extension and Tus-Max-Size.' } },
};

const CREATE: TusCall = {
  name: 'createUpload',
  summary: 'Create a resumable upload',
  description:
    'Opens an upload of a file for a video that takes one, or of a part of it (Upload-Concat: partial). The body may ' +
    'hold the first bytes. The length may follow later (Upload-Defer-Length: 1). A final upload (Upload-Concat: ' +
    'final;…) joins the parts that it names and has neither a length nor a body.',
  example: `-i -X POST -H 'Upload-Length: 1000000' ${SIGNED_HEADERS} http://127.0.0.1:7700/tusupload`,
  asks: [
    optional('Upload-Length', 'Size of the file or part in bytes.', { type: 'integer', minimum: 0 }),
    optional('Upload-Defer-Length', 'Instead of Upload-Length: a later PATCH sets the length.', { const: 1 }),
    optional(
      'Upload-Concat',
      '`partial` for a part; `final;` and the space-separated addresses of the parts for the file that they make.',
      { type: 'string' },
    ),
    optional(
      'Upload-Metadata',
      'Pairs of name and base64: filetype, title, collection, thumbnailTime (ms). Unusable pairs are ignored.',
      { type: 'string' },
    ),
    CHECKSUM,
  ],
  body: { required: false, content: { 'application/offset+octet-stream': {} } },
  status: 201,
  says: 'Created; Location is the address of the upload. After a body, Upload-Offset counts its bytes.',
  gives: { Location: { required: true, schema: { type: 'string' } }, 'Upload-Offset': { schema: { type: 'integer' } } },
  refuses: {
    400: 'A header is missing or cannot be read.',
    404: 'The video or a part does not exist.',
    409: 'A part belongs to another final upload.',
    415: 'The content type of the body is not application/offset+octet-stream.',
    460: 'The bytes do not have the announced checksum.',
  },
};

const ASK: TusCall = {
  name: 'getUploadOffset',
  summary: 'Ask how much of an upload has arrived',
  description: 'Returns the offset of the next bytes, after an interruption for example.',
  example: `-I ${SIGNED_HEADERS} ${UPLOAD}`,
  asks: [],
  status: 200,
  says: 'Told by its headers.',
  gives: {
    'Upload-Offset': OFFSET,
    'Upload-Length': { schema: { type: 'integer' } },
    'Upload-Defer-Length': { schema: { const: 1 } },
    'Upload-Concat': { schema: { type: 'string' } },
  },
  refuses: {},
};

const APPEND: TusCall = {
  name: 'appendToUpload',
  summary: 'Send the next bytes of an upload',
  description: 'Stores the body where the upload ends; with its last byte the video has its file.',
  example:
    `-X PATCH -H 'Upload-Offset: 0' -H 'Content-Type: application/offset+octet-stream' ${SIGNED_HEADERS} ` +
    `--data-binary @FILE ${UPLOAD}`,
  asks: [
    parameter('Upload-Offset', 'Where the bytes begin.', { type: 'integer', minimum: 0 }),
    optional('Upload-Length', 'Length of an upload that was created with Upload-Defer-Length.', { type: 'integer' }),
    CHECKSUM,
  ],
  body: { required: true, content: { 'application/offset+octet-stream': {} } },
  status: 204,
  says: 'Stored.',
  gives: { 'Upload-Offset': OFFSET },
  refuses: {
    400: 'A header is missing or cannot be read.',
    403: 'The upload is a final one, which its parts make up.',
    409: 'The bytes do not begin where the upload ends.',
    415: 'The content type is not application/offset+octet-stream.',
    460: 'The bytes do not have the announced checksum.',
  },
};

const GIVE_UP: TusCall = {
  name: 'deleteUpload',
  summary: 'Give an upload up',
  description: 'Ends an upload that is not complete, with all that was stored of it.',
  example: `-X DELETE ${SIGNED_HEADERS} ${UPLOAD}`,
  asks: [],
  status: 204,
  says: 'Gone.',
  gives: {},
  refuses: {},
};

const EVERY_REFUSAL: Readonly<Record<number, string>> = {
  401: 'The signature does not match, or had expired when the upload was created.',
  404: 'The upload does not exist.',
  408: 'The body took too long to arrive.',
  412: 'The header Tus-Resumable is not 1.0.0.',
  413: 'More bytes than were announced, or than are taken at all.',
  429: 'Too many uploads are open.',
  500: 'The service failed.',
  503: 'Something that the service needs is away for the moment.',
  507: 'The storage has no room for it.',
};

function tusOperation(parts: TusCall, components: Components): Schema {
  const refusals = Object.entries({ ...EVERY_REFUSAL, ...parts.refuses }).map(([status, description]) => {
    const model = status === '401' ? AuthError401 : StatusModel;
    return [status, { description, content: { 'application/json': { schema: components.refer(model) } } }];
  });
  return {
    operationId: parts.name,
    summary: parts.summary,
    description: parts.description,
    'x-codeSamples': [{ lang: 'Shell', source: `curl ${parts.example}` }],
    tags: ['Resumable uploads'],
    security: SIGNED,
    parameters: [{ $ref: '#/components/parameters/TusResumable' }, ...parts.asks],
    ...(parts.body && { requestBody: parts.body }),
    responses: {
      [parts.status]: { description: parts.says, headers: { 'Tus-Resumable': TUS, ...parts.gives } },
      ...Object.fromEntries(refusals),
    },
  };
}

function parameter(name: string, description: string, schema: Schema): Schema {
  return { name, in: 'header', required: true, description, schema };
}

function optional(name: string, description: string, schema: Schema): Schema {
  return { ...parameter(name, description, schema), required: false };
}
