import { type Static, Type } from 'typebox';
import { flag, int64, model, nullable, text, words } from './fields.ts';

/** Purpose of an audio track. `main`: the sound of the video, in any language. */
export const AudioPurpose = words('AudioPurpose', ['main', 'commentary', 'description']);
export type AudioPurpose = Static<typeof AudioPurpose>;

const oneOf = <const V extends string>(...values: V[]) => Type.Unsafe<V>({ type: 'string', enum: values });

/** Not part of the hosted API: an audio track of a video. */
export const AudioTrackModel = model('AudioTrackModel', {
  /** Unique in the video. Tracks of the video's file are called `file-N`, where N identifies the stream in the file. */
  trackId: text(),
  title: text(),
  /** BCP 47, `und` when unknown. */
  language: text(),
  purpose: AudioPurpose,
  /** Whether players start with this track. */
  isDefault: flag(),
  origin: oneOf('file', 'added'),
  /** `replacing`: viewers hear the previous version until the new one is encoded. */
  state: oneOf('ready', 'processing', 'replacing', 'failed'),
  /** Reason why its file could not be encoded, or null if it was encoded, or is being encoded. */
  message: nullable(text()),
  storageSize: int64(),
});
export type AudioTrackModel = Static<typeof AudioTrackModel>;

export const AudioTrackList = model('AudioTrackList', { items: Type.Array(AudioTrackModel) });
export type AudioTrackList = Static<typeof AudioTrackList>;

/** Fields of a track to change. Absent fields are left unchanged. */
export const UpdateAudioTrackModel = model('UpdateAudioTrackModel', {
  title: Type.Optional(nullable(text())),
  language: Type.Optional(nullable(text())),
  purpose: Type.Optional(nullable(AudioPurpose)),
  isDefault: Type.Optional(nullable(flag())),
});
export type UpdateAudioTrackModel = Static<typeof UpdateAudioTrackModel>;
