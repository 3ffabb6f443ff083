import { PressButton } from './press-button.ts';

/** Button that opens the settings. */
export class SettingsButton extends PressButton {}

customElements.define('bunny-settings-menu-button', SettingsButton);

/** Contains the seek bar and the row of buttons. */
export class ControlBar extends HTMLElement {}

customElements.define('bunny-media-control-bar', ControlBar);
