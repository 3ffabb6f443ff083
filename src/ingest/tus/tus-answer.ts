import type { ServerResponse } from 'node:http';
import { isDatabaseAway } from '../../catalog/is-database-away.ts';
import { REFUSALS } from '../../lib/error-catalogue.ts';
import { Refused } from '../../lib/refused.ts';
import { isStorageAway } from '../../ports/storage.ts';

/** Content type of a body that is a chunk of an upload (tus 1.0.0, PATCH and creation-with-upload). */
export const PIECE_TYPE = 'application/offset+octet-stream';

/** Status for a chunk that does not match its checksum (tus 1.0.0, checksum). */
export const CHECKSUM_MISMATCH = 460;

/** Thrown if the body of a request ends early because the client disconnected. */
export class ClientGone extends Error {
  constructor(options: ErrorOptions) {
    super('The client disconnected before its chunk was complete.', options);
    this.name = 'ClientGone';
  }
}

/** Sends the response for an error. Passes errors that the caller did not cause to `onError`. */
export function refuse(response: ServerResponse, error: unknown, onError: (error: unknown) => void): void {
  if (error instanceof ClientGone) return;
  if (!(error instanceof Refused)) onError(error);
  if (response.headersSent || response.destroyed) return;
  const status =
    error instanceof Refused ? REFUSALS[error.kind].status : isDatabaseAway(error) || isStorageAway(error) ? 503 : 500;
  if (status === 503 || status === 429) response.setHeader('Retry-After', '5');
  if (error instanceof Refused && error.kind === 'quota-reached') response.setHeader('X-Millrace-Error', error.kind);
  end(response, status, error instanceof Refused ? error.message : 'The upload could not be stored. Try again.');
}

/** Ends a response with a StatusModel as its body. The fields of a 401 body are spelt as in the API. */
export function end(response: ServerResponse, status: number, message?: string): void {
  response.statusCode = status;
  if (message === undefined) {
    response.end();
    return;
  }
  const body =
    status === 401
      ? { Success: false, Message: message, StatusCode: 401 }
      : { success: false, message, statusCode: status };
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(body));
}

/** Refuses a body whose content type is not that of an upload chunk. */
export function refuseType(response: ServerResponse, type: string | undefined): void {
  end(response, 415, `Expected a body of the Content-Type ${PIECE_TYPE}, got ${type ?? 'none'}.`);
}
