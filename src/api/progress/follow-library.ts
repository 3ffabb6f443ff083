import { defineOperation } from '../define-operation.ts';
import { LibraryParams } from '../read-params.ts';
import type { ProgressHub } from './progress-hub.ts';

export const followLibrary = defineOperation({
  name: 'followLibrary',
  summary: 'Follow the progress of a library',
  method: 'GET',
  path: '/library/{libraryId}/progress',
  description: 'Streams the states and progress of all videos of a library as server-sent events.',
  auth: 'access-key',
  permission: 'videos.read',
  params: LibraryParams,
  answer: 'events',
  async run({ params: { libraryId } }, { progressHub }: { progressHub: ProgressHub }) {
    return progressHub.open({ libraryId, mediaId: null });
  },
});
