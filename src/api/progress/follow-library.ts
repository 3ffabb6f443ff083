import { defineOperation } from '../define-operation.ts';
import { LibraryParams } from '../read-params.ts';
import type { ProgressHub } from './progress-hub.ts';

export const followLibrary = defineOperation({
  name: 'followLibrary',
  method: 'GET',
  path: '/library/{libraryId}/progress',
  description: "Sends the states and the progress of a library's videos as server-sent events, as they change.",
  auth: 'access-key',
  params: LibraryParams,
  answer: 'events',
  async run({ params: { libraryId } }, { progressHub }: { progressHub: ProgressHub }) {
    return progressHub.open({ libraryId, mediaId: null });
  },
});
