import type { ActivityStore } from '../../catalog/videos/activity-store.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoActivityModel } from '../models/activity.ts';
import { wireTime } from '../models/answers.ts';
import { NoQuery } from '../read-query.ts';
import { toMessageModel, VideoParams } from './video-model.ts';

type Deps = { activities: ActivityStore; videoViews: VideoViewStore };

/** An extension of the interface. */
export const getActivity = defineOperation({
  name: 'getActivity',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/activity',
  description: 'Lists the encode tasks of a video with attempts and reasons, and the messages about how it was made.',
  auth: 'access-key',
  params: VideoParams,
  query: NoQuery,
  body: null,
  answer: VideoActivityModel,
  refusals: { 'not-found': 404 },
  errorShape: 'status',
  async run({ params: { libraryId, videoId } }, { activities, videoViews }: Deps) {
    const key = { libraryId, mediaId: videoId };
    const [view, tasks] = await Promise.all([videoViews.load(key), activities.tasks(key)]);
    return {
      tasks: tasks.map(({ doneFraction, createdAt, startedAt, retryAt, ...task }) => ({
        ...task,
        done: doneFraction,
        dateCreated: wireTime(createdAt),
        dateStarted: startedAt && wireTime(startedAt),
        dateRetry: retryAt && wireTime(retryAt),
      })),
      messages: view.messages.map(toMessageModel),
    };
  },
});
