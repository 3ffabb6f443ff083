import { AuthError401, StatusModel } from '../models/status.ts';
import type { Components, Schema } from './component-schemas.ts';

const SIGNED = [{ AuthorizationSignature: [], AuthorizationExpire: [], VideoId: [], LibraryId: [] }];
const TUS = { $ref: '#/components/headers/TusResumable' };
const UPLOAD = 'http://127.0.0.1:7700/tusupload/0192f000-0000-7000-8000-000000000002';
const SIGNED_HEADERS =
  "-H 'Tus-Resumable: 1.0.0' -H 'LibraryId: 1' -H 'VideoId: GUID' -H 'AuthorizationExpire: 1800000000' -H " +
  "'AuthorizationSignature: HEX'";
const CHECKSUM = optional('Upload-Checksum', '`sha1`, a space and the base64 SHA-1 of the body.', {
  type: 'string',
});
const OFFSET = { $ref: '#/components/headers/UploadOffset' };

type TusCall = {
  name: string;
  summary: string;
  description: string;
  /** Arguments of `curl` in the example. */
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
      parameters: [
        {
          name: 'uploadId',
          in: 'path',
          required: true,
          description: 'Id of the upload.',
          schema: { type: 'string', format: 'uuid' },
        },
      ],
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
    'Hexadecimal SHA-256 of LibraryId, the ApiKey of the library, AuthorizationExpire and VideoId, concatenated.',
  ),
  AuthorizationExpire: header(
    'AuthorizationExpire',
    'Unix time in seconds until which an upload can be created. An upload created before that time can finish later.',
  ),
  VideoId: header('VideoId', 'GUID of the video that gets the file.'),
  LibraryId: header('LibraryId', 'Id of the library of the video.'),
};

function header(name: string, description: string): Schema {
  return { type: 'apiKey', in: 'header', name, description };
}

const HEALTH = {
  operationId: 'getHealth',
  summary: 'Get the state of the service',
  description:
    'Returns the state of the service. Requests from this machine, from trusted proxies or with a valid key get the ' +
    'version, the listeners, the state of every role, the storage and the problems. All others get only `status`.',
  'x-codeSamples': [{ lang: 'Shell', source: 'curl http://127.0.0.1:7700/healthz' }],
  tags: ['Service'],
  security: [],
  responses: {
    200: { description: 'All roles are ready.', content: { 'application/json': { schema: { type: 'object' } } } },
    503: {
      description: 'A role is starting or failing.',
      content: { 'application/json': { schema: { type: 'object' } } },
    },
  },
};

const PLAY = {
  operationId: 'openPlayer',
  summary: 'Open the player page of a video',
  description:
    'Redirects to the player page at the delivery URL and keeps the query. The player page checks tokens and ' +
    'rules.',
  tags: ['Service'],
  security: [],
  parameters: [
    {
      name: 'libraryId',
      in: 'path',
      required: true,
      description: 'Id of the library.',
      schema: { type: 'integer' },
      example: 1,
    },
    {
      name: 'videoId',
      in: 'path',
      required: true,
      description: 'Id of the video.',
      schema: { type: 'string', format: 'uuid' },
    },
  ],
  responses: {
    302: { description: 'Location is the URL of the player page.' },
    404: { description: 'The video does not exist.' },
  },
  'x-codeSamples': [
    { lang: 'Shell', source: 'curl -i http://127.0.0.1:7700/play/1/0192f000-0000-7000-8000-000000000001' },
  ],
};

const DESCRIBE = {
  operationId: 'describeUploads',
  summary: 'Get the version and extensions of tus',
  description: 'Responds to tus 1.0.0 discovery requests and to CORS preflight requests.',
  'x-codeSamples': [{ lang: 'Shell', source: 'curl -i -X OPTIONS http://127.0.0.1:7700/tusupload' }],
  tags: ['Resumable uploads'],
  security: [],
  responses: { 204: { description: 'The headers Tus-Version, Tus-Extension and Tus-Max-Size contain the result.' } },
};

const CREATE: TusCall = {
  name: 'createUpload',
  summary: 'Create a resumable upload',
  description:
    'Creates an upload of the file of a video, or of a part of it (Upload-Concat: partial). The body may contain the ' +
    'first bytes. The length may be sent later (Upload-Defer-Length: 1). A final upload (Upload-Concat: final;…) ' +
    'joins the listed parts and has neither a length nor a body.',
  example: `-i -X POST -H 'Upload-Length: 1000000' ${SIGNED_HEADERS} http://127.0.0.1:7700/tusupload`,
  asks: [
    optional('Upload-Length', 'Size of the file or part in bytes.', { type: 'integer', minimum: 0 }),
    optional('Upload-Defer-Length', 'Replaces Upload-Length. A later PATCH sends the length.', { const: 1 }),
    optional(
      'Upload-Concat',
      '`partial` for a part. `final;` followed by the space-separated URLs of the parts to join.',
      { type: 'string' },
    ),
    optional(
      'Upload-Metadata',
      'Pairs of a name and a base64 value: filetype, title, collection, thumbnailTime (ms), visibility. Invalid ' +
        'pairs are ignored, except a visibility.',
      { type: 'string' },
    ),
    CHECKSUM,
  ],
  body: { required: false, content: { 'application/offset+octet-stream': {} } },
  status: 201,
  says: 'Location is the URL of the upload. If the request had a body, Upload-Offset is its length.',
  gives: { Location: { required: true, schema: { type: 'string' } }, 'Upload-Offset': { schema: { type: 'integer' } } },
  refuses: {
    400: 'A header is missing or malformed.',
    404: 'The video or a part does not exist.',
    409: 'A part belongs to another final upload.',
    415: 'The content type of the body is not application/offset+octet-stream.',
    460: 'The bytes do not have the announced checksum.',
  },
};

const ASK: TusCall = {
  name: 'getUploadOffset',
  summary: 'Get the offset of an upload',
  description: 'Returns the number of bytes received so far. Use it to resume an interrupted upload.',
  example: `-I ${SIGNED_HEADERS} ${UPLOAD}`,
  asks: [],
  status: 200,
  says: 'The headers contain the state of the upload.',
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
  summary: 'Append bytes to an upload',
  description:
    'Appends the body to the upload. The last byte completes the upload, and the file becomes that of the video.',
  example:
    `-X PATCH -H 'Upload-Offset: 0' -H 'Content-Type: application/offset+octet-stream' ${SIGNED_HEADERS} ` +
    `--data-binary @FILE ${UPLOAD}`,
  asks: [
    parameter(
      'Upload-Offset',
      'Position of the first byte of the body. It must equal the current offset of the upload.',
      { type: 'integer', minimum: 0 },
    ),
    optional('Upload-Length', 'Total size in bytes of an upload that was created with Upload-Defer-Length.', {
      type: 'integer',
    }),
    CHECKSUM,
  ],
  body: { required: true, content: { 'application/offset+octet-stream': {} } },
  status: 204,
  says: 'The bytes are stored.',
  gives: { 'Upload-Offset': OFFSET },
  refuses: {
    400: 'A header is missing or malformed.',
    403: 'The upload is a final one. Send bytes to its parts.',
    409: 'Upload-Offset differs from the current offset of the upload.',
    415: 'The content type is not application/offset+octet-stream.',
    460: 'The bytes do not have the announced checksum.',
  },
};

const GIVE_UP: TusCall = {
  name: 'deleteUpload',
  summary: 'Delete an upload',
  description: 'Deletes an incomplete upload and its bytes.',
  example: `-X DELETE ${SIGNED_HEADERS} ${UPLOAD}`,
  asks: [],
  status: 204,
  says: 'The upload is deleted.',
  gives: {},
  refuses: {},
};

const EVERY_REFUSAL: Readonly<Record<number, string>> = {
  401: 'The signature is wrong, or it had expired when the upload was created.',
  404: 'The upload does not exist.',
  408: 'The body took too long to arrive.',
  412: 'The header Tus-Resumable is not 1.0.0.',
  413: 'The body exceeds the announced length or the maximum size of an upload.',
  429: 'Too many uploads are in progress.',
  500: 'The service failed.',
  503: 'A dependency of the service, such as the database, is unavailable.',
  507: 'There is not enough storage space.',
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
