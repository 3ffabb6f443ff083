import { Type } from 'typebox';
import { readTrackId } from '../../catalog/audio-tracks/audio-track.ts';
import type { AudioTrackStore } from '../../catalog/audio-tracks/audio-track-store.ts';
import { planAddedTrack } from '../../jobs/planning/plan-audio-tracks.ts';
import { defineOperation } from '../define-operation.ts';
import { AudioPurpose, AudioTrackModel } from '../models/audio-track.ts';
import { maybe } from '../read-query.ts';
import { AudioTrackParams, readFields, toAudioTrackModel } from './change-audio-tracks.ts';
import { type FileDeps, receiveFile } from './receive-file.ts';

/** Maximum size of an uploaded audio file in bytes: four hours of uncompressed stereo at 48 kHz and 24 bits. */
const MAX_FILE_BYTES = 4 * 2 ** 30;

type Deps = FileDeps & { audioTracks: AudioTrackStore };

/** Not part of the hosted API. */
export const putAudioTrack = defineOperation({
  name: 'putAudioTrack',
  method: 'PUT',
  path: '/library/{libraryId}/videos/{videoId}/audio-tracks/{trackId}',
  description:
    'Adds an audio track to a video from the audio file that is the body, or replaces the media of the track with ' +
    'this id. The caller chooses the id, such as de-commentary; file-N replaces a track of the file of the video. ' +
    'The track begins with the video, and is cut or filled with silence to its length. Viewers get it once it is ' +
    'encoded; the picture is not encoded again. Absent fields are left unchanged.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: AudioTrackParams,
  query: Type.Object({
    language: maybe.text(),
    title: maybe.text(),
    purpose: Type.Optional(AudioPurpose),
    isDefault: maybe.flag(),
  }),
  body: 'raw',
  answer: AudioTrackModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId, trackId }, query, body, signal }, deps: Deps) {
    const key = { libraryId, mediaId: videoId };
    const track = { id: readTrackId(trackId), wanted: readFields(query) };
    await deps.audioTracks.requirePossible(key, track);
    const stored = await receiveFile(
      {
        ...{ key, body, options: {}, limitBytes: MAX_FILE_BYTES },
        commit: ({ key: objectKey, sizeBytes, sha256 }, closing) => {
          const file = { key: objectKey, sizeBytes, sha256: sha256.toString('hex') };
          return deps.audioTracks.put(key, { ...track, file }, planAddedTrack, closing);
        },
      },
      deps,
      signal,
    );
    return toAudioTrackModel(stored);
  },
});
