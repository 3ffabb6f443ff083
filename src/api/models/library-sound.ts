import { type Static, Type } from 'typebox';
import { double, flag, model, nullable } from './fields.ts';

/** Settings of a library for the sound of new videos (not part of the hosted API). */
export const LibrarySoundModel = model('LibrarySoundModel', {
  /** Gives each audio track a constant gain that brings it to `LoudnessTarget`. */
  NormaliseLoudness: flag(),
  /** LUFS (EBU R 128). */
  LoudnessTarget: double(),
  /** Also encodes tracks with five or more channels in 5.1. Players start with stereo. */
  SurroundAudio: flag(),
});
export type LibrarySoundModel = Static<typeof LibrarySoundModel>;

export const LibrarySoundUpdateModel = model('LibrarySoundUpdateModel', {
  NormaliseLoudness: Type.Optional(nullable(flag())),
  LoudnessTarget: Type.Optional(nullable(double())),
  SurroundAudio: Type.Optional(nullable(flag())),
});
export type LibrarySoundUpdateModel = Static<typeof LibrarySoundUpdateModel>;
