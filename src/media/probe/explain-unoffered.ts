import type { AudioFacts, SubtitleFacts } from './source-facts.ts';

/** Maximum number of text tracks of a source. One process extracts all of them. */
export const MAX_TEXT_TRACKS = 20;

/** Maximum number of audio tracks of a source. */
export const MAX_AUDIO_TRACKS = 16;

type Tracks = { audio: readonly AudioFacts[]; subtitles: readonly SubtitleFacts[] };
type Stream = { streamIndex: number; codec: string };

/** Returns an explanation for each track of a source that viewers cannot get. `sounds` are all its audio streams. */
export function explainUnoffered(sounds: readonly Stream[], { audio, subtitles }: Tracks): string[] {
  const read = new Set(audio.flatMap(({ streamIndex, rightStreamIndex }) => [streamIndex, rightStreamIndex]));
  const unread = sounds.filter(({ streamIndex }) => !read.has(streamIndex));
  const texts = subtitles.filter(({ isText }) => isText);
  return [
    ...unread.map(
      ({ streamIndex, codec }) =>
        `The audio of stream ${streamIndex} (${codec}) is left out: it cannot be decoded. Convert it to FLAC.`,
    ),
    ...subtitles.filter(({ isText }) => !isText).map(explainPictures),
    ...(audio.length > MAX_AUDIO_TRACKS
      ? [`Of ${audio.length} audio tracks, only the first ${MAX_AUDIO_TRACKS} are offered.`]
      : []),
    ...(texts.length > MAX_TEXT_TRACKS
      ? [`Of ${texts.length} subtitle tracks, only the first ${MAX_TEXT_TRACKS} are offered.`]
      : []),
  ];
}

function explainPictures({ streamIndex, codec, language, title }: SubtitleFacts): string {
  const name = [title, language === 'und' ? null : language, codec].filter((part) => part !== null).join(', ');
  return (
    `The subtitles of stream ${streamIndex} (${name}) are left out: they are images or ` +
    'in an unknown format. Add them as a SubRip or WebVTT file.'
  );
}
