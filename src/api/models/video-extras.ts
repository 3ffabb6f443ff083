import { Type } from 'typebox';
import { int32, model, nullable, text } from './fields.ts';

export const GeneratedCaptionModel = model('GeneratedCaptionModel', {
  srclang: text(),
  translatedFrom: nullable(text()),
});

/** Fields of a video that the hosted API does not have, and that exports carry. */
export const VideoExtrasModel = model('VideoExtrasModel', {
  thumbnailTime: nullable(int32()),
  generatedCaptions: Type.Array(GeneratedCaptionModel),
});
