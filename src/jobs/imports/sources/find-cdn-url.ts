import { Refused } from '../../../lib/refused.ts';
import type { SourceRequest } from '../import-source.ts';
import type { SourceClient } from '../source-client.ts';
import { type Fields, fieldsOf, listOf, textOf } from './read-fields.ts';

/** Number of videos that are searched. */
const MAX_VIDEOS = 100;
/** State in `VideoModel.status`. */
const FINISHED = 4;

/**
 * Finds the base URL of the files of a library in its newest videos. Returns null if it has no video. Throws `Refused`
 * if the API lists no URLs.
 */
export async function findCdnUrl(
  { apiUrl, accessKey, libraryId }: SourceRequest,
  client: SourceClient,
  signal: AbortSignal,
): Promise<string | null> {
  const url = `${apiUrl}/library/${libraryId}/videos`;
  const headers = { AccessKey: accessKey ?? '' };
  const page = await client.readJson({ url: `${url}?page=1&itemsPerPage=${MAX_VIDEOS}`, headers }, signal);
  const videos = listOf(fieldsOf(page).items);
  if (videos.length === 0) return null;
  const found = videos.map((video) => baseOf(video.thumbnailUrl, video)).find((base) => base !== null);
  if (found !== undefined) return found;
  // A video that is not ready has no thumbnail yet, and audio may have none.
  const playable = videos.find(({ status }) => status === FINISHED);
  if (playable !== undefined) {
    const play = await client.findJson({ url: `${url}/${String(playable.guid)}/play`, headers }, signal);
    const base = baseOf(fieldsOf(play).videoPlaylistUrl, playable);
    if (base !== null) return base;
  }
  throw new Refused('invalid', 'Expected cdnUrl, because the source does not list the URLs of its files. Send it.');
}

/** Returns the part of a file's URL before the folder of its video, without a token. */
function baseOf(url: unknown, { guid }: Fields): string | null {
  const [base = '', file] = (textOf(url) ?? '').split(`/${String(guid)}/`);
  return file !== undefined && base.startsWith('http') ? base.replace(/\/bcdn_token=[^/]*$/, '') : null;
}
