import { addTranslation, setLanguage } from 'media-chrome/dist/utils/i18n.js';
import type { Say } from './say.ts';

/**
 * Texts of media-chrome's elements that this page shows or that screen readers read, each with this player's text key.
 */
const TEXTS: Readonly<Record<string, string>> = {
  Play: 'play',
  play: 'play',
  Pause: 'pause',
  pause: 'pause',
  Mute: 'mute',
  mute: 'mute',
  Unmute: 'unmute',
  unmute: 'unmute',
  volume: 'volume',
  'closed captions': 'captions',
  'Enable captions': 'captions.on',
  'Disable captions': 'captions.off',
  'Enter fullscreen mode': 'fullscreen',
  'enter fullscreen mode': 'fullscreen',
  'Exit fullscreen mode': 'fullscreen.exit',
  'exit fullscreen mode': 'fullscreen.exit',
  'Enter picture in picture mode': 'pip',
  'enter picture in picture mode': 'pip',
  'Exit picture in picture mode': 'pip.exit',
  'exit picture in picture mode': 'pip.exit',
  'start airplay': 'airplay',
  'stop airplay': 'airplay.stop',
  'Seek backward': 'back',
  'Seek forward': 'forward',
  'media loading': 'loading',
  'video player': 'player',
};

/** Makes media-chrome's elements use the page's language. Must be called before they are created. */
export function setMediaWords(language: string, say: Say): void {
  const texts = Object.fromEntries(Object.entries(TEXTS).map(([theirs, ours]) => [theirs, say(ours)]));
  const seconds = { seekOffset: '{seekOffset}' };
  texts['seek back {seekOffset} seconds'] = say('back.by', { sec: seconds.seekOffset });
  texts['seek forward {seekOffset} seconds'] = say('forward.by', { sec: seconds.seekOffset });
  // The type of media-chrome's dictionary requires all texts. At run time, English replaces missing ones.
  addTranslation(language, texts as unknown as Parameters<typeof addTranslation>[1]);
  setLanguage(language);
}
