import { type Static, Type } from 'typebox';
import { flag, int32, model, nullable, text, title } from './fields.ts';

/** A section of a video. Negative times count from the end; for a running stream, from its newest stored segment. */
export const ComposePartModel = model('ComposePartModel', {
  videoId: text(),
  startMs: Type.Optional(nullable(int32())),
  endMs: Type.Optional(nullable(int32())),
});
export type ComposePartModel = Static<typeof ComposePartModel>;

/**
 * Not part of the hosted API: a new video composed of sections of other videos. It is cut at exactly these times unless
 * `exact` is false.
 */
export const ComposeVideoModel = model('ComposeVideoModel', {
  title: title({ minLength: 1 }),
  collectionId: Type.Optional(nullable(text())),
  exact: Type.Optional(nullable(flag())),
  parts: Type.Array(ComposePartModel, { minItems: 1, maxItems: 100 }),
});
export type ComposeVideoModel = Static<typeof ComposeVideoModel>;
