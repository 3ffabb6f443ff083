import { type Static, Type } from 'typebox';
import { dateTime, double, int32, model, nullable, text } from './fields.ts';
import { TranscodingMessageModel } from './video-parts.ts';

/**
 * A unit of encoding (an extension of the interface): what it makes, how often it was tried, why it waits or failed.
 */
export const TaskModel = model('TaskModel', {
  id: text(),
  kind: text(),
  renditions: Type.Array(text()),
  fromSegment: int32(),
  toSegment: int32(),
  state: text(),
  /** 0-1. */
  done: double(),
  failures: int32(),
  deaths: int32(),
  reason: nullable(text()),
  worker: nullable(text()),
  dateCreated: dateTime(),
  dateStarted: nullable(dateTime()),
  dateRetry: nullable(dateTime()),
});

/** An attempt that failed: what it was to make, and the last lines that its encoder wrote. */
export const AttemptModel = model('AttemptModel', {
  kind: text(),
  renditions: Type.Array(text()),
  fromSegment: int32(),
  toSegment: int32(),
  reason: text(),
  log: text(),
  dateFailed: dateTime(),
});

/**
 * The latest transcription of a video: `waiting`, `running`, `finished`, `failed` or `cancelled`, and how far it is.
 */
export const TranscriptionModel = model('TranscriptionModel', {
  state: text(),
  /** Why it failed, or why it made no captions. */
  reason: text(),
  doneSeconds: double(),
  durationSeconds: double(),
  /** What was guessed; null where it was given. */
  language: nullable(text()),
});

/** What is done for a video now, and what happened to it while it was made. */
export const VideoActivityModel = model('VideoActivityModel', {
  tasks: Type.Array(TaskModel),
  messages: Type.Array(TranscodingMessageModel),
  /** The last five whose encoder wrote something, the latest first. */
  failedAttempts: Type.Array(AttemptModel),
  /** Null when the video was never transcribed. */
  transcription: nullable(TranscriptionModel),
});
export type VideoActivityModel = Static<typeof VideoActivityModel>;

/** A sentence about why a video plays as it does; `remedy` names what can be done about it. */
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

/** Why a video does, or does not, play: the most urgent first. Holds no secret, so that it can be shared. */
export const WhyModel = model('WhyModel', {
  guid: text(),
  etaSeconds: nullable(int32()),
  findings: Type.Array(FindingModel),
  experience: Type.Array(ExperienceModel),
});
export type WhyModel = Static<typeof WhyModel>;
