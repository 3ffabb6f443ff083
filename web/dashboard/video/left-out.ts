import type { VideoModel } from '../../../src/api/models/video.ts';

/** Messages of the service about tracks that viewers cannot get, and about captions whose encoding it guessed. */
const MESSAGES = {
  captions: /\(CEA-608 or CEA-708\)|^The subtitles of stream |^Of \d+ subtitle tracks|^Captions "/,
  audio: /^The audio of stream |^Of \d+ audio tracks/,
} as const;

/** Returns the messages about the tracks of one kind, each once. */
export function leftOut(
  { transcodingMessages }: Pick<VideoModel, 'transcodingMessages'>,
  kind: keyof typeof MESSAGES,
): string[] {
  const found = (transcodingMessages ?? []).map(({ message }) => message ?? '');
  return [...new Set(found)].filter((message) => MESSAGES[kind].test(message));
}
