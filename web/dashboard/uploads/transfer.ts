import { Millrace, type UploadSettings, type UploadSignature, type UploadState } from '../../../sdk/src/millrace.ts';
import { api, connection } from '../base/api.ts';

/** A signature is made anew when less than this is left of it. */
const RENEW_SEC = 300;

const millrace = new Millrace(connection);

/**
 * Where a file goes, and what is done as it gets there; `address` is that of an upload of this very file that goes on.
 */
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
 * Uploads a file to a video, behind what the service has of it already. The signature is renewed on the way, and when
 * the service finds it expired: the clock of this computer may be behind. A lost connection is the caller's.
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
