import type { EncodeTaskTable } from '../../../src/catalog/tasks/task-schema.ts';
import { type Sentence, tr } from './language.ts';

type Words<Name extends string> = Readonly<Record<Name, Sentence>>;

/** Names of encode tasks, by kind. */
export const TASK_NAMES: Words<EncodeTaskTable['kind']> = {
  'pass-through': 'Copy without re-encoding',
  video: 'Encode video',
  audio: 'Encode audio',
  thumbnail: 'Create thumbnail',
  images: 'Create preview images',
  sheets: 'Create storyboard',
  'jit-start': 'Prepare on-demand playback',
  backfill: 'Encode in advance',
  compose: 'Take video from other videos',
  'compose-audio': 'Take audio from other videos',
  repair: 'Repair damaged segments',
  segment: 'Encode segments for viewers',
};

const STATE_NAMES: Words<EncodeTaskTable['state']> = {
  waiting: 'Waiting',
  running: 'Running',
  done: 'Finished',
  failed: 'Failed',
};

const QUEUE_NAMES: Words<EncodeTaskTable['queue']> = {
  quick: 'Short tasks',
  long: 'Long tasks',
  viewers: 'For viewers',
};

export function taskName(kind: string): string {
  return nameOf(TASK_NAMES, kind);
}

export function taskState(state: string): string {
  return nameOf(STATE_NAMES, state);
}

export function queueName(queue: string): string {
  return nameOf(QUEUE_NAMES, queue);
}

function nameOf(names: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(names, name) ? tr(names[name] ?? name) : name;
}
