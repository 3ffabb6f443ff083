import { type Static, Type } from 'typebox';
import { flag, guarded, model, nullable, text, words } from './fields.ts';

export const FeedAccess = words('FeedAccess', ['off', 'public', 'token']);

/** The feeds of a collection. Not part of the hosted API. */
export const FeedModel = model('FeedModel', {
  access: FeedAccess,
  podcastUrl: nullable(text()),
  mediaRssUrl: nullable(text()),
  title: nullable(text()),
  description: nullable(text()),
  author: nullable(text()),
  language: nullable(text()),
  category: nullable(text()),
  explicit: flag(),
});
export type FeedModel = Static<typeof FeedModel>;

const maybeText = (maxLength: number) => Type.Optional(nullable(text({ maxLength })));

export const UpdateFeedModel = model('UpdateFeedModel', {
  access: guarded('protects', Type.Optional(nullable(FeedAccess))),
  renewToken: guarded('protects', Type.Optional(nullable(flag()))),
  title: maybeText(500),
  description: maybeText(4_000),
  author: maybeText(200),
  language: maybeText(35),
  category: maybeText(100),
  explicit: Type.Optional(nullable(flag())),
});
export type UpdateFeedModel = Static<typeof UpdateFeedModel>;
