import type { Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';

/** How far the latest transcription of a video is; `reason` says why it failed, or why it found nothing. */
export type SpeechRunTable = {
  library_id: number;
  media_id: Guid;
  state: 'waiting' | 'running' | 'finished' | 'failed';
  reason: Generated<string>;
  done_sec: Generated<number>;
  updated_at: Generated<Date>;
};
