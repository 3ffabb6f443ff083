import { MediaChromeButton } from 'media-chrome/dist/media-chrome-button.js';

/** A button with the look and keyboard handling of media-chrome's. Event: `press`. */
export class PressButton extends MediaChromeButton {
  override handleClick(): void {
    this.dispatchEvent(new Event('press'));
  }
}
