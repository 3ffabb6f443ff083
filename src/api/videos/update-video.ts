import { editVideo, type VideoEdit } from '../../catalog/videos/video.ts';
import type { VideoStore } from '../../catalog/videos/video-store.ts';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { UpdateVideoModel } from '../models/video.ts';
import { VideoParams } from './video-model.ts';

export const updateVideo = defineOperation({
  name: 'updateVideo',
  method: 'POST',
  path: '/library/{libraryId}/videos/{videoId}',
  description:
    'Changes the fields that are sent and keeps all others. Chapters and moments are in whole seconds within the ' +
    'video. A chapter without an end ends where the next one starts.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: VideoParams,
  body: UpdateVideoModel,
  // Some clients send no body, which changes nothing.
  bodyPresence: 'maybe-missing',
  answer: StatusModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId }, body }, { videos }: { videos: VideoStore }) {
    const edit = readEdit(body);
    await videos.change({ libraryId, mediaId: videoId }, (video) => editVideo(video, edit));
    return ok();
  },
});

function readEdit(body: UpdateVideoModel): VideoEdit {
  const { title, description, category, collectionId, visibility, chapters, moments, metaTags } = body;
  return {
    ...(title != null && { title }),
    ...(description != null && { description: description.trim() || null }),
    ...(category != null && { category: category.trim() || null }),
    ...(collectionId != null && { collectionId: readCollection(collectionId) }),
    ...(visibility != null && { visibility }),
    ...(chapters != null && {
      chapters: chapters.map(({ title: name, start = 0, end }, index) => ({
        title: name,
        start,
        end: end ?? Math.max(start, chapters[index + 1]?.start ?? start),
      })),
    }),
    ...(moments != null && {
      moments: moments.map((moment) => ({ label: moment.label, timestamp: moment.timestamp ?? 0 })),
    }),
    ...(metaTags != null && {
      metaTags: metaTags.map((tag) => ({ property: tag.property ?? '', value: tag.value ?? '' })),
    }),
  };
}

function readCollection(text: string): Guid | null {
  if (text === '') return null;
  const id = readGuid(text);
  if (id === null)
    throw new Refused('not-found', `Collection "${text}" not found: ids of collections are GUIDs. Correct the id.`);
  return id;
}
