import type { PlayerLook } from '../../../src/catalog/publications/delivery-settings.ts';
import type { PlayerState } from '../../../src/delivery/player/player-state.ts';
import type { Words } from '../../../src/delivery/player/player-words.ts';

/** Configuration that the server writes into the page. */
export type PageConfig = {
  libraryId: number;
  mediaId: string;
  state: PlayerState;
  stateUrl: string;
  look: Omit<PlayerLook, 'customHtml'>;
  words: Words;
};

export function readConfig(): PageConfig {
  return JSON.parse(document.querySelector('#config')?.textContent ?? '');
}
