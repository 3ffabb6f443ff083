import { type Static, Type } from 'typebox';
import { model, text } from './fields.ts';

const SpokenCueModel = model('SpokenCueModel', {
  srclang: text(),
  /** Seconds from the start of the video. */
  start: Type.Number(),
  end: Type.Number(),
  text: text(),
});

/** Not part of the hosted API: videos in which the searched words are spoken, and the times. */
export const SpokenSearchModel = model('SpokenSearchModel', {
  items: Type.Array(
    model('SpokenMatchModel', {
      videoGuid: text(),
      title: text(),
      cues: Type.Array(SpokenCueModel),
    }),
  ),
});
export type SpokenSearchModel = Static<typeof SpokenSearchModel>;
