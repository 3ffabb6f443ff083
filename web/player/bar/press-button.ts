import { MediaChromeButton } from 'media-chrome/dist/media-chrome-button.js';

/** A button that looks and handles keys like the buttons of media-chrome. Event: `press`. */
export class PressButton extends MediaChromeButton {
  override handleClick(): void {
    this.dispatchEvent(new Event('press'));
  }
}
