import { Millrace, type UploadSettings, type UploadSignature, type UploadState } from '../../../sdk/src/millrace.ts';
import { api, connection } from '../base/api.ts';

/** Remaining time below which a signature is renewed, in seconds. */
const RENEW_SEC = 300;

const millrace = new Millrace(connection);

/** Target of a file, and callbacks for its progress. `address` is the URL of an interrupted upload to resume. */
export type Transfer = {
  libraryId: number;
  videoId: string;
  address: string | null;
  settings?: UploadSettings;
  signal: AbortSignal;
  onState: (state: UploadState) => void | Promise<void>;
  onProgress: (sentBytes: number) => void;
};

/**
 * Uploads a file to a video, starting after the bytes that the service already has. The signature is renewed during the
 * upload, and when the service rejects it as expired, which happens if this computer's clock is slow. The caller
 * handles a lost connection.
 */
export async function transfer(file: File, { libraryId, videoId, address, ...on }: Transfer): Promise<void> {
  let signature: UploadSignature | null = null;
  const { signal, onState, onProgress, settings } = on;
  await millrace.upload(file, {
    ...{ libraryId, videoId, title: file.name, signal, onState, onProgress },
    ...(settings !== undefined && { settings }),
    ...(address !== null && { resume: { videoId, address } }),
    whenUnreachable: 'throw',
    async sign(_, isRefused) {
      const leftSec = Number(signature?.AuthorizationExpire ?? 0) - Date.now() / 1000;
      if (signature === null || leftSec < RENEW_SEC || isRefused) signature = await sign(libraryId, videoId);
      return signature;
    },
  });
}

function sign(libraryId: number, videoId: string): Promise<UploadSignature> {
  return api<UploadSignature>('POST', `/dashboard/libraries/${libraryId}/videos/${videoId}/upload-signature`);
}
