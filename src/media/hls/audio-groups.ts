import type { AudioForm } from '../cmaf/audio-grid.ts';
import type { ListedSet } from '../presentation/listed-set.ts';
import type { PublishedRendition } from '../presentation/published-rendition.ts';

/** Highest rung that is listed with audio of the lower bitrate. */
export const MAX_LOW_AUDIO_RUNG = 360;

type Rates = { peakBps: number; averageBps: number };

/** Audio tracks that a variant is listed with, and the largest rates among them. */
export type AudioGroup = { id: string; audio: readonly PublishedRendition[]; rates: Rates };

/** Audio groups of a set. `alone` has those of the variants without video, and `of` returns those of a video. */
export type AudioGroups = {
  all: readonly AudioGroup[];
  alone: readonly AudioGroup[];
  of(video: PublishedRendition): readonly AudioGroup[];
};

/**
 * Returns the audio groups of a set. Rungs up to 360p, except the highest, use the group with a lower bitrate if there
 * is one. Other rungs, and audio without video, use the usual group, followed by the 5.1 group if there is one.
 * Variants of both have the same BANDWIDTH. hls.js then treats them as one level with a choice of audio, so its
 * adaptation never changes the number of channels.
 */
export function chooseAudioGroups(
  { video, audio }: ListedSet<PublishedRendition>,
  ratesOf: (rendition: PublishedRendition) => Rates,
): AudioGroups {
  const ofUsualForm = audio.filter(({ form }) => form === undefined);
  const usual = ofUsualForm.length > 0 ? ofUsualForm : audio;
  const group = (id: string, tracks: readonly PublishedRendition[]): AudioGroup => {
    const rates = tracks.map(ratesOf);
    const peakBps = Math.max(0, ...rates.map((one) => one.peakBps));
    return { id, audio: tracks, rates: { peakBps, averageBps: Math.max(0, ...rates.map((one) => one.averageBps)) } };
  };
  const main = group('audio', usual);
  const topRung = Math.max(...video.map(({ rung }) => rung ?? 0));
  const isLow = ({ rung }: PublishedRendition) => rung !== null && rung <= MAX_LOW_AUDIO_RUNG && rung < topRung;
  const hasForm = (form: AudioForm) => audio.some((track) => track.form === form) && ofUsualForm.length > 0;
  const low = hasForm('low') && video.some(isLow) ? group('audio-low', inForm(usual, audio, 'low')) : null;
  const surround = hasForm('surround') ? group('audio-5.1', inForm(usual, audio, 'surround')) : null;
  const wide = surround === null ? [main] : [main, surround];
  return {
    all: low === null ? wide : [...wide, low],
    alone: video.length === 0 ? wide : [low ?? main],
    of: (rendition) => (low !== null && isLow(rendition) ? [low] : wide),
  };
}

/**
 * Returns the tracks of a group, each in a form if it has that form, else in its usual form, because all groups must
 * contain the same names (RFC 8216 section 4.3.4.2.1).
 */
function inForm(
  usual: readonly PublishedRendition[],
  audio: readonly PublishedRendition[],
  form: AudioForm,
): PublishedRendition[] {
  return usual.map((track) => {
    const found = audio.find((one) => {
      return one.form === form && one.language === track.language && one.name === track.name && one.role === track.role;
    });
    return found === undefined ? track : { ...found, isDefault: track.isDefault };
  });
}
