import { MediaChromeButton } from 'media-chrome/dist/media-chrome-button.js';

/** A button that looks, and takes keys, as those of media-chrome do. Event: `press`. */
export class PressButton extends MediaChromeButton {
  override handleClick(): void {
    this.dispatchEvent(new Event('press'));
  }
}
