import { make } from '../base/dom.ts';
import { type IconName, icon } from '../base/icon.ts';

type MediaButton = {
  tag: string;
  icons: Readonly<Record<string, IconName>>;
  attributes?: Readonly<Record<string, string>>;
};

/** media-chrome buttons with this player's icons, by their names in the library's `Controls` setting. */
const BUTTONS = {
  play: { tag: 'media-play-button', icons: { play: 'play', pause: 'pause' } },
  rewind: { tag: 'media-seek-backward-button', icons: { icon: 'back' }, attributes: { seekoffset: '10' } },
  'fast-forward': { tag: 'media-seek-forward-button', icons: { icon: 'forward' }, attributes: { seekoffset: '10' } },
  mute: { tag: 'media-mute-button', icons: { off: 'silent', low: 'soft', medium: 'soft', high: 'loud' } },
  captions: { tag: 'media-captions-button', icons: { on: 'captions', off: 'captions' } },
  pip: { tag: 'media-pip-button', icons: { enter: 'picture', exit: 'picture' } },
  airplay: { tag: 'media-airplay-button', icons: { enter: 'airplay', exit: 'airplay' } },
  fullscreen: { tag: 'media-fullscreen-button', icons: { enter: 'enterFullscreen', exit: 'exitFullscreen' } },
} satisfies Record<string, MediaButton>;

export type ButtonName = keyof typeof BUTTONS;

export function mediaButton(name: ButtonName): HTMLElement {
  const { tag, icons, attributes = {} }: MediaButton = BUTTONS[name];
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...Object.entries(icons).map(([slot, shape]) => icon(shape, slot)));
  return made;
}

export function volumeGroup(hasMute: boolean, hasVolume: boolean): HTMLElement {
  const group = make('div', { class: 'volume' });
  if (hasMute) group.append(mediaButton('mute'));
  if (hasVolume) group.append(document.createElement('media-volume-range'));
  return group;
}
