import type { Db } from '../../catalog/db.ts';
import { listHeardTracks } from '../../catalog/renditions/loudness-store.ts';
import { loadSpeechRun } from '../../catalog/speech/speech-run-store.ts';
import { listAttemptLogs } from '../../catalog/tasks/attempt-log-store.ts';
import { loadTaskActivity } from '../../catalog/videos/activity-store.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoActivityModel } from '../models/activity.ts';
import { wireTime } from '../models/answers.ts';
import { toMessageModel, VideoParams } from './video-model.ts';

type Deps = { videoViews: VideoViewStore; db: Db };

/** Not part of the hosted API. */
export const getActivity = defineOperation({
  name: 'getActivity',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/activity',
  description:
    'Returns the encode tasks of a video with their attempts and failure reasons, the messages of the encode, the ' +
    'last log lines of failed attempts, the progress of the transcription, and the loudness of its audio.',
  auth: 'access-key',
  permission: 'videos.read',
  params: VideoParams,
  answer: VideoActivityModel,
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, videoId } }, { videoViews, db }: Deps) {
    const key = { libraryId, mediaId: videoId };
    const [view, tasks, attempts, speech, tracks] = await Promise.all([
      videoViews.load(key),
      loadTaskActivity(db, key),
      listAttemptLogs(db, key),
      loadSpeechRun(db, key),
      listHeardTracks(db, key),
    ]);
    return {
      tasks: tasks.map(({ doneFraction, createdAt, startedAt, retryAt, ...task }) => ({
        ...task,
        done: doneFraction,
        dateCreated: wireTime(createdAt),
        dateStarted: startedAt && wireTime(startedAt),
        dateRetry: retryAt && wireTime(retryAt),
      })),
      messages: view.messages.map(toMessageModel),
      failedAttempts: attempts.map(({ messages, createdAt, ...attempt }) => ({
        ...attempt,
        log: messages,
        dateFailed: wireTime(createdAt),
      })),
      transcription: speech && {
        state: speech.state,
        reason: speech.reason,
        doneSeconds: speech.doneSec,
        durationSeconds: view.duration_ms / 1000,
        language: speech.language,
      },
      loudness: tracks.map(({ loudness, ...track }) => ({
        ...track,
        integratedLufs: loudness?.integratedLufs ?? null,
        rangeLu: loudness?.rangeLu ?? null,
        truePeakDbtp: loudness?.truePeakDbtp ?? null,
      })),
    };
  },
});
