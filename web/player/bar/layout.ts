import { make } from '../base/dom.ts';
import { icon } from '../base/icon.ts';
import type { Menu } from '../menu/menu.ts';
import type { ControlParts } from '../parts.ts';
import { mediaButton, volumeGroup } from './buttons.ts';
import { SettingsButton } from './settings-button.ts';
import type { TimeRange } from './time-range.ts';

type Layout = { range: TimeRange; clock: HTMLElement; menu: Menu; hasSettings(): boolean };

/** Builds the controls over the video, as configured by the library's `Controls` setting. */
export function layOut(parts: ControlParts, { range, clock, menu, hasSettings }: Layout): void {
  const { frame, config, options } = parts;
  const has = (name: string) => config.look.controls.includes(name);
  const row = document.createElement('media-control-bar');
  row.classList.add('row');
  if (has('play')) row.append(mediaButton('play'));
  if (has('rewind')) row.append(mediaButton('rewind'));
  if (has('fast-forward')) row.append(mediaButton('fast-forward'));
  if (has('mute') || has('volume')) row.append(volumeGroup(has('mute'), has('volume')));
  row.append(clock, chapterButton(parts, menu), make('span', { class: 'spacer' }));
  if (has('captions')) row.append(captionsButton(parts));
  if (has('settings')) row.append(settingsButton(parts, menu, hasSettings));
  if (has('airplay') && options.offersAirplay) row.append(mediaButton('airplay'));
  if (has('pip')) row.append(mediaButton('pip'));
  // If elements cannot enter full screen (iPhones), media-chrome's button opens the system's own player.
  if (has('fullscreen') && (options.usesNativeFullscreen || document.fullscreenEnabled))
    row.append(mediaButton('fullscreen'));
  const bar = document.createElement('bunny-media-control-bar');
  if (has('progress')) bar.append(range);
  bar.append(row);
  frame.append(make('div', { class: 'shade', 'aria-hidden': 'true' }), bar, menu);
  // The button announces whether captions are on, which requires the role `switch`. Set the role after insertion,
  // because media-chrome sets another role then.
  bar.querySelector('media-captions-button')?.setAttribute('role', 'switch');
  if (has('play-large')) frame.append(largePlay());
  frame.append(spinner());
  frame.toggleAttribute('compact', options.isCompact);
}

/**
 * Creates the loading indicator with a custom icon. media-chrome's icon rotates all the time, and each step causes
 * layout even when nothing is loading.
 */
function spinner(): HTMLElement {
  const spinner = document.createElement('media-loading-indicator');
  spinner.slot = 'centered-chrome';
  spinner.setAttribute('noautohide', '');
  spinner.append(icon('waiting', 'icon'));
  return spinner;
}

function largePlay(): HTMLElement {
  const button = mediaButton('play');
  button.classList.add('large-play');
  button.slot = 'centered-chrome';
  button.setAttribute('notooltip', '');
  return button;
}

function captionsButton({ session }: ControlParts): HTMLElement {
  const button = mediaButton('captions');
  const draw = () => {
    button.hidden = session.state.details.captions.length === 0;
  };
  session.addEventListener('view', draw);
  draw();
  return button;
}

function settingsButton(
  { say, engine, session, video }: ControlParts,
  menu: Menu,
  hasSettings: () => boolean,
): HTMLElement {
  const button = new SettingsButton();
  button.append(icon('settings'), make('span', { slot: 'tooltip-content' }, say('settings')));
  button.setAttribute('aria-label', say('settings'));
  button.setAttribute('aria-haspopup', 'menu');
  button.setAttribute('aria-expanded', 'false');
  button.addEventListener('press', () => menu.toggle(button, 'settings'));
  const draw = () => {
    button.hidden = !hasSettings();
    menu.refresh();
  };
  for (const name of ['qualities', 'audiotracks']) engine.addEventListener(name, draw);
  for (const name of ['change', 'addtrack', 'removetrack']) video.textTracks.addEventListener(name, draw);
  video.addEventListener('ratechange', draw);
  session.addEventListener('view', draw);
  draw();
  return button;
}

/** Shows the current chapter, and opens the list of all chapters. */
function chapterButton({ video, session, say }: ControlParts, menu: Menu): HTMLElement {
  const title = make('span', { class: 'chapter-title' });
  const button = make('button', {
    type: 'button',
    class: 'chapter',
    'aria-haspopup': 'menu',
    'aria-expanded': 'false',
  });
  button.append(title, icon('next'));
  button.addEventListener('click', () => menu.toggle(button, 'chapters'));
  const draw = () => {
    const { chapters } = session.state.details;
    const now = chapters.find(({ startSec, endSec }) => startSec <= video.currentTime && video.currentTime < endSec);
    button.hidden = chapters.length === 0;
    const text = now?.title ?? say('chapters');
    if (title.textContent === text) return;
    title.textContent = text;
    button.setAttribute('aria-label', `${say('chapters')}: ${text}`);
  };
  for (const name of ['timeupdate', 'seeked', 'durationchange']) video.addEventListener(name, draw);
  session.addEventListener('view', draw);
  draw();
  return button;
}
