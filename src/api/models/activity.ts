import { type Static, Type } from 'typebox';
import { dateTime, double, int32, model, nullable, text } from './fields.ts';
import { TranscodingMessageModel } from './video-parts.ts';

/**
 * An encode task (not part of the hosted API): its outputs, the number of attempts, and the reason why it waits or
 * failed.
 */
export const TaskModel = model('TaskModel', {
  id: text(),
  kind: text(),
  renditions: Type.Array(text()),
  fromSegment: int32(),
  toSegment: int32(),
  state: text(),
  /** Fraction from 0 to 1. */
  done: double(),
  failures: int32(),
  deaths: int32(),
  reason: nullable(text()),
  worker: nullable(text()),
  dateCreated: dateTime(),
  dateStarted: nullable(dateTime()),
  dateRetry: nullable(dateTime()),
});

/** A failed attempt of an encode task: its outputs, and the last lines that its encoder printed. */
export const AttemptModel = model('AttemptModel', {
  kind: text(),
  renditions: Type.Array(text()),
  fromSegment: int32(),
  toSegment: int32(),
  reason: text(),
  log: text(),
  dateFailed: dateTime(),
});

/** The latest transcription of a video: `waiting`, `running`, `finished`, `failed` or `cancelled`, and its progress. */
export const TranscriptionModel = model('TranscriptionModel', {
  state: text(),
  /** Reason why it failed, or why it made no captions. */
  reason: text(),
  doneSeconds: double(),
  durationSeconds: double(),
  /** The detected language, or null if it was given. */
  language: nullable(text()),
});

/**
 * Loudness of an audio track in its source (EBU R 128), and the gain that was added in dB. Values are null until they
 * are measured, and for silence.
 */
export const AudioLoudnessModel = model('AudioLoudnessModel', {
  name: text(),
  language: text(),
  integratedLufs: nullable(double()),
  rangeLu: nullable(double()),
  truePeakDbtp: nullable(double()),
  gainDb: double(),
});

/** Current work on a video, and the history of its processing. */
export const VideoActivityModel = model('VideoActivityModel', {
  tasks: Type.Array(TaskModel),
  messages: Type.Array(TranscodingMessageModel),
  /** The last five failed attempts whose encoder printed something, newest first. */
  failedAttempts: Type.Array(AttemptModel),
  /** Null if the video was never transcribed. */
  transcription: nullable(TranscriptionModel),
  loudness: Type.Array(AudioLoudnessModel),
});
export type VideoActivityModel = Static<typeof VideoActivityModel>;

/** A reason why a video plays or does not play, as a sentence. `remedy` is the suggested fix. */
export const FindingModel = model('FindingModel', {
  kind: text(),
  level: text(),
  sentence: text(),
  remedy: nullable(text()),
});

export const ExperienceModel = model('ExperienceModel', {
  country: text(),
  sessions: int32(),
  startupMs: nullable(int32()),
  stalled: int32(),
  stallMs: int32(),
  failures: int32(),
});

/** Reasons why a video does or does not play, most urgent first. Contains no secret, so that it can be shared. */
export const WhyModel = model('WhyModel', {
  guid: text(),
  etaSeconds: nullable(int32()),
  findings: Type.Array(FindingModel),
  experience: Type.Array(ExperienceModel),
});
export type WhyModel = Static<typeof WhyModel>;
