import { ApiError, Millrace } from '../../../sdk/src/millrace.ts';

/** A GUID that no video has. */
const NO_VIDEO = '00000000-0000-7000-8000-000000000000';

/** Rights of a key. An account key may also call the operations of the account. */
export type Rights = { account: boolean; write: boolean };

export type Service = { url: string; key: string | null; library: number };

/**
 * Finds out what a key may do, with requests that change nothing. Rejects with `ApiError` for a key that the service
 * does not accept for the library.
 */
export async function findRights({ url, key, library }: Service, signal: AbortSignal): Promise<Rights> {
  const millrace = new Millrace({ url, key });
  const isAccount = await succeeds(millrace.request('GET', '/user', null, { signal }));
  if (isAccount) return { account: true, write: true };
  await millrace.call('listVideos', { libraryId: library, itemsPerPage: 1, signal });
  try {
    // A read-only key gets a 403 before the video is looked up.
    await millrace.call('getOriginal', { libraryId: library, videoId: NO_VIDEO, signal });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { account: false, write: error.status !== 403 };
  }
  return { account: false, write: true };
}

async function succeeds(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof ApiError && [401, 403].includes(error.status)) return false;
    throw error;
  }
}
