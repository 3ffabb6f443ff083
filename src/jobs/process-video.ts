import type { MediaKey } from '../catalog/db.ts';
import { defineJob } from './define-job.ts';

// Placeholder: the contract that the API compiles against. The job itself comes with the jobs.
export const processVideo = defineJob<MediaKey & { reason?: string }, object>({
  name: 'process-video',
  lane: 'quick',
  retryLimit: 3,
  async run({ mediaId }) {
    throw new Error(`Expected the job that processes video ${mediaId}, found its placeholder.`);
  },
});
