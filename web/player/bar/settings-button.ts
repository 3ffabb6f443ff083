import { MediaChromeButton } from 'media-chrome/dist/media-chrome-button.js';

/** Opens the settings. It looks, and takes keys, as the other buttons do. */
export class SettingsButton extends MediaChromeButton {
  override handleClick(): void {
    this.dispatchEvent(new Event('press'));
  }
}

customElements.define('bunny-settings-menu-button', SettingsButton);

/** A bar around the seek bar and the row of buttons. */
export class ControlBar extends HTMLElement {}

customElements.define('bunny-media-control-bar', ControlBar);
