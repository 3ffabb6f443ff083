import { Type } from 'typebox';
import {
  type AudioTrack,
  readTrackId,
  readTrackLanguage,
  readTrackTitle,
  type WantedFields,
} from '../../catalog/audio-tracks/audio-track.ts';
import type { AudioTrackStore } from '../../catalog/audio-tracks/audio-track-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import {
  AudioTrackList,
  AudioTrackModel,
  type UpdateAudioTrackModel,
  UpdateAudioTrackModel as UpdateModel,
} from '../models/audio-track.ts';
import { guarded } from '../models/fields.ts';
import { StatusModel } from '../models/status.ts';
import { queryFlag } from '../read-query.ts';
import { VideoParams } from './video-model.ts';

/** Path parameters of one audio track. */
export const AudioTrackParams = Type.Object({
  ...VideoParams.properties,
  trackId: Type.String({ title: 'audio track' }),
});

type Deps = { audioTracks: AudioTrackStore };

/** Not part of the hosted API. */
export const listAudioTracks = defineOperation({
  name: 'listAudioTracks',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/audio-tracks',
  description: 'Lists the audio tracks of a video, the default one first, with those that are being encoded.',
  auth: 'access-key',
  permission: 'videos.read',
  params: VideoParams,
  answer: AudioTrackList,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId } }, { audioTracks }: Deps) {
    const tracks = await audioTracks.list({ libraryId, mediaId: videoId });
    return { items: tracks.map(toAudioTrackModel) };
  },
});

/** Not part of the hosted API. */
export const updateAudioTrack = defineOperation({
  name: 'updateAudioTrack',
  method: 'POST',
  path: '/library/{libraryId}/videos/{videoId}/audio-tracks/{trackId}',
  description:
    'Changes title, language, purpose or default of an audio track; absent fields are left unchanged. ' +
    'Nothing is encoded, and a later encode of the video keeps the change.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: AudioTrackParams,
  body: UpdateModel,
  answer: AudioTrackModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId, trackId }, body }, { audioTracks }: Deps) {
    const key = { libraryId, mediaId: videoId };
    return toAudioTrackModel(await audioTracks.edit(key, readTrackId(trackId), readFields(body)));
  },
});

/** Not part of the hosted API. */
export const deleteAudioTrack = defineOperation({
  name: 'deleteAudioTrack',
  method: 'DELETE',
  path: '/library/{libraryId}/videos/{videoId}/audio-tracks/{trackId}',
  description:
    'Removes an audio track. Later encodes leave out a removed track of the uploaded file. If the track was the ' +
    'default, another one becomes the default. The last track is removed only with allowNone=true, and never from a ' +
    'video without a picture.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: AudioTrackParams,
  query: Type.Object({ allowNone: guarded('destroys', queryFlag(false)) }),
  answer: StatusModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId, trackId }, query: { allowNone } }, { audioTracks }: Deps) {
    await audioTracks.remove({ libraryId, mediaId: videoId }, readTrackId(trackId), allowNone);
    return ok();
  },
});

/** Parses the requested changes to a track. Throws `Refused` (`invalid`) for an unusable language or title. */
export function readFields({ title, language, purpose, isDefault }: UpdateAudioTrackModel): WantedFields {
  return {
    ...(title != null && { name: readTrackTitle(title) }),
    ...(language != null && { language: readTrackLanguage(language) }),
    ...(purpose != null && { role: purpose }),
    ...(isDefault != null && { isDefault }),
  };
}

/** Converts an audio track to its model. */
export function toAudioTrackModel({ id, name, role, storageBytes, ...track }: AudioTrack): AudioTrackModel {
  return { trackId: id, title: name, purpose: role, storageSize: storageBytes, ...track };
}
