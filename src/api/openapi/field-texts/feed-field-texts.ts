import type { FieldTexts } from './field-texts.ts';

const FEED = {
  access:
    '`off`: there is no feed. `public`: everybody may read it. `token`: only readers with ' +
    'its URL, which contains a secret, may read it. The feed lists all finished public videos.',
  title: 'Title of the feed. The default is the name of the collection.',
  description: 'Description of the feed. The default is its title.',
  author: 'Author for podcast directories. The default is the title.',
  language: 'Language tag such as `en` or `pt-BR`. The default is `en`.',
  category: 'Category of podcast directories. The default is `TV & Film`.',
  explicit: 'Whether podcast directories mark the feed as explicit.',
};

/** Descriptions of the fields of feeds. */
export const FEED_FIELD_TEXTS: FieldTexts = {
  FeedModel: {
    ...FEED,
    podcastUrl: 'URL of the feed with the tags of podcasts; null if it is off.',
    mediaRssUrl: 'URL of the feed with Media RSS; null if it is off.',
  },
  UpdateFeedModel: { ...FEED, renewToken: 'If true, the URL gets a new secret, and the previous URL stops working.' },
};
