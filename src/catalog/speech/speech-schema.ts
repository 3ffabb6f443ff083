import type { Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';

export type SpeechState = 'waiting' | 'running' | 'finished' | 'failed' | 'cancelled';

/** Progress of a video's latest transcription; `reason` explains why it failed or found nothing. */
type SpeechRunTable = {
  library_id: number;
  media_id: Guid;
  state: SpeechState;
  reason: Generated<string>;
  done_sec: Generated<number>;
  language: Generated<string | null>;
  /** Incremented with each transcription of the video. */
  run: Generated<number>;
  updated_at: Generated<Date>;
};

/** About a minute of captions: a line of `cues` per cue, with times in ms; `created_at` is the video's. */
type SpokenBlockTable = {
  library_id: number;
  media_id: Guid;
  srclang: string;
  first_ms: number;
  start_ms: number[];
  end_ms: number[];
  cues: string;
  created_at: Date;
};

/** A video whose captions changed since they were last indexed for the search of spoken words. */
type CaptionsUnreadTable = { library_id: number; media_id: Guid; changes: Generated<number> };

/** Result for a span of a transcription in progress. */
type SpeechSpanTable = {
  library_id: number;
  media_id: Guid;
  start_ms: number;
  identity: Buffer;
  language: string;
  words: { text: string; startSec: number; endSec: number }[];
};

export type SpeechSchema = {
  speech_span: SpeechSpanTable;
  speech_run: SpeechRunTable;
  spoken_block: SpokenBlockTable;
  captions_unread: CaptionsUnreadTable;
};
