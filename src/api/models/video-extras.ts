import { type Static, Type } from 'typebox';
import { int32, int64, model, nullable, text } from './fields.ts';

export const GeneratedCaptionModel = model('GeneratedCaptionModel', {
  srclang: text(),
  translatedFrom: nullable(text()),
});

/** Views and watch time of a UTC day. */
export const VideoDayModel = model('VideoDayModel', {
  day: text({ maxLength: 10 }),
  views: int64(),
  watchTime: int64(),
});

/** Fields of a video that the hosted API does not have, and that exports carry. */
export const VideoExtrasModel = model('VideoExtrasModel', {
  thumbnailTime: nullable(int32()),
  generatedCaptions: Type.Array(GeneratedCaptionModel),
  statistics: Type.Array(VideoDayModel),
});
export type VideoExtrasModel = Static<typeof VideoExtrasModel>;
