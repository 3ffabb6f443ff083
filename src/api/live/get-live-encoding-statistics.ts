import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import { loadEncodingStatistics } from '../../catalog/live/streams/encoding-statistics-store.ts';
import { rangeOf } from '../../catalog/statistics/sums/statistics-range.ts';
import { readGuid } from '../../lib/guid.ts';
import { WIRE_CODECS, wireNameOf } from '../../media/encode/codecs/all.ts';
import { defineOperation } from '../define-operation.ts';
import { LiveEncodingStatisticsModel } from '../models/live-stream.ts';
import { LibraryParams } from '../read-params.ts';
import { queryFlag, queryText, requireOrder } from '../read-query.ts';

/** Codecs by name: the names of the hosted API, and our own. */
const CODECS: ReadonlyMap<string, string> = new Map([...WIRE_CODECS, ['h264', 'h264'], ['avc', 'h264']]);
/** A GUID that matches nothing. */
const NO_STREAM = readGuid('00000000-0000-0000-0000-000000000000');

/** Seconds encoded by live ladders, by day or hour (UTC), stream, codec and resolution. */
export const getLiveEncodingStatistics = defineOperation({
  name: 'getLiveEncodingStatistics',
  method: 'GET',
  path: '/library/{libraryId}/live/statistics/encoding',
  description:
    'Returns the seconds of video that were encoded for live streams, by UTC day or hour, stream, codec and ' +
    'resolution. Separate several values of a filter with commas.',
  auth: 'access-key',
  permission: 'videos.read',
  params: LibraryParams,
  query: Type.Object({
    dateFrom: queryText(),
    dateTo: queryText(),
    hourly: queryFlag(false),
    liveStreamGuids: queryText(),
    videoCodecs: queryText(),
    resolutions: queryText(),
  }),
  answer: LiveEncodingStatisticsModel,
  refusals: { invalid: 400 },
  async run({ params: { libraryId }, query }, { db }: { db: Db }) {
    requireOrder(query, 'dateFrom', 'dateTo');
    const filter = {
      libraryId,
      streamIds: split(query.liveStreamGuids).flatMap((text) => readGuid(text) ?? NO_STREAM ?? []),
      codecs: split(query.videoCodecs).map((name) => CODECS.get(name.toLowerCase()) ?? name),
      // Other text matches no stream.
      resolutions: split(query.resolutions).map((text) => (/^\d{1,5}p?$/.test(text) ? Number.parseInt(text, 10) : 0)),
    };
    const found = await loadEncodingStatistics(db, filter, rangeOf(query, Date.now()));
    return {
      hourly: query.hourly,
      totalEncodingSeconds: found.totalSec,
      encodingSecondsChart: found.chart,
      encodingSecondsByLiveStream: found.byStream,
      encodingSecondsByVideoCodec: Object.fromEntries(
        Object.entries(found.byCodec).map(([codec, seconds]) => [wireNameOf(codec), seconds]),
      ),
      encodingSecondsByResolution: found.byResolution,
    };
  },
});

function split(text: string): string[] {
  return text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}
