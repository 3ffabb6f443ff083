import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import { readSpokenQuery } from '../../catalog/spoken/spoken-blocks.ts';
import { searchSpoken as searchStore } from '../../catalog/spoken/spoken-store.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { SpokenSearchModel } from '../models/spoken-search.ts';
import { LibraryParams } from '../read-params.ts';
import { queryInt32, queryText } from '../read-query.ts';

const USUAL_VIDEOS = 20;
const MAX_VIDEOS = 100;

export const searchSpoken = defineOperation({
  name: 'searchSpoken',
  summary: 'Search captions',
  method: 'GET',
  path: '/library/{libraryId}/search',
  description:
    'Searches the captions of all videos. Finds videos in which all words of `q` are spoken within about a minute, ' +
    'newest first, with the matching captions and their times in seconds. With `language`, it searches only the ' +
    'captions of that language.',
  exampleQuery: 'q=telescope',
  auth: 'access-key',
  permission: 'videos.read',
  params: LibraryParams,
  query: Type.Object({ q: queryText(), language: queryText(), itemsPerPage: queryInt32(USUAL_VIDEOS, 1, MAX_VIDEOS) }),
  answer: SpokenSearchModel,
  refusals: { invalid: 400 },
  async run({ params: { libraryId }, query: { q, language, itemsPerPage } }, { db }: { db: Db }) {
    const words = readSpokenQuery(q);
    if (words === null) {
      const message = `Expected a word of at least three letters as q, got ${quote(q)}. Send a longer word.`;
      throw new Refused('invalid', message, { field: 'q' });
    }
    const matches = await searchStore(db, { libraryId, words, language, limit: itemsPerPage });
    return {
      items: matches.map(({ mediaId, title, cues }) => ({
        videoGuid: mediaId,
        title,
        cues: cues.map(({ srclang, startMs, endMs, text }) => ({
          srclang,
          start: startMs / 1000,
          end: endMs / 1000,
          text,
        })),
      })),
    };
  },
});
