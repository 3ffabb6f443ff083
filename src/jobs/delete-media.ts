import type { MediaKey } from '../catalog/db.ts';
import { defineJob } from './define-job.ts';

// Placeholder: the contract that the API compiles against. The job itself comes with the jobs.
export const deleteMedia = defineJob<MediaKey & { prefix: string }, object>({
  name: 'delete-media',
  lane: 'quick',
  retryLimit: 3,
  async run({ prefix }) {
    throw new Error(`Expected the job that deletes ${prefix}, found its placeholder.`);
  },
});
