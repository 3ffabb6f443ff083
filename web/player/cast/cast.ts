import { PressButton } from '../bar/press-button.ts';
import { adoptStyle, make } from '../base/dom.ts';
import { icon } from '../base/icon.ts';
import type { ControlParts } from '../parts.ts';
import {
  type CastContext,
  type CastSender,
  loadCastSender,
  type RemotePlayer,
  type RemotePlayerController,
} from './cast-sender.ts';

class CastButton extends PressButton {}

customElements.define('media-cast-button', CastButton);

const STYLE = `
.casting {
  position: absolute; inset: 0; z-index: 1; display: grid; place-content: center; justify-items: center; gap: 14px;
  padding: 12px 8% 64px; background: #0b0c10; text-align: center; opacity: 1 !important;
  pointer-events: none !important;
}
.casting svg { width: 44px; height: 44px; fill: none; stroke: currentColor; stroke-width: 1.5; opacity: .8; }
.casting p { margin: 0; font-size: clamp(13px, 2.4vw, 18px); font-weight: 600; }
.casting div { display: flex; gap: 10px; }
.casting button {
  height: 38px; padding: 0 18px; border: 0; border-radius: 19px; font: inherit; font-weight: 600; cursor: pointer;
  background: rgb(255 255 255 / .14); color: #fff; pointer-events: auto;
}
.casting button.main { background: #fff; color: #14161c; }
media-controller[casting] > :is(.large-play, media-loading-indicator, .end-screen, bunny-captions-display) {
  display: none !important;
}
media-controller[casting] > bunny-media-control-bar { opacity: 1 !important; z-index: 1; }
@media (max-height: 239px) { .casting svg { display: none; } .casting { gap: 8px; padding-bottom: 52px; } }
@media (forced-colors: active) { .casting button { border: 1px solid ButtonText; } }
`;

/** Offers playback on a Cast receiver. Receivers cannot get keys, so this is not offered for protected videos. */
export async function mountCast(parts: ControlParts): Promise<void> {
  const sender = await loadCastSender();
  if (sender === null) return;
  adoptStyle(STYLE);
  new CastControl(parts, sender).mount();
}

class CastControl {
  readonly #parts: ControlParts;
  readonly #sender: CastSender;
  readonly #context: CastContext;
  readonly #player: RemotePlayer;
  readonly #controller: RemotePlayerController;
  readonly #button = new CastButton();
  readonly #panel = make('div', { class: 'casting', slot: 'centered-chrome', role: 'status', noautohide: true });
  readonly #toggle = make('button', { type: 'button', class: 'main' });
  readonly #place = make('p');

  constructor(parts: ControlParts, sender: CastSender) {
    this.#parts = parts;
    this.#sender = sender;
    this.#context = sender.framework.CastContext.getInstance();
    this.#player = new sender.framework.RemotePlayer();
    this.#controller = new sender.framework.RemotePlayerController(this.#player);
  }

  mount(): void {
    const { frame, video, say } = this.#parts;
    const receiverApplicationId = this.#sender.media.DEFAULT_MEDIA_RECEIVER_APP_ID;
    this.#context.setOptions({ receiverApplicationId, autoJoinPolicy: 'origin_scoped' });
    this.#button.append(icon('cast'), make('span', { slot: 'tooltip-content' }, say('cast')));
    this.#button.setAttribute('aria-label', say('cast'));
    this.#button.addEventListener('press', () => void this.#press());
    const row = frame.querySelector('.row');
    row?.insertBefore(
      this.#button,
      row.querySelector('media-airplay-button, media-pip-button, media-fullscreen-button'),
    );
    const stop = make('button', { type: 'button' }, say('cast.stop'));
    stop.addEventListener('click', () => this.#context.endCurrentSession(true));
    this.#toggle.addEventListener('click', () => this.#controller.playOrPause());
    this.#panel.append(icon('cast'), this.#place, make('div', {}, this.#toggle, stop));
    this.#panel.hidden = true;
    frame.append(this.#panel);
    this.#context.addEventListener('caststatechanged', () => this.#draw());
    for (const name of ['isPausedChanged', 'isConnectedChanged'])
      this.#controller.addEventListener(name, () => this.#draw());
    // Forward the viewer's actions to the receiver.
    video.addEventListener('play', () => {
      if (!this.#player.isConnected) return;
      video.pause();
      this.#controller.playOrPause();
    });
    video.addEventListener('seeked', () => {
      if (!this.#player.isConnected) return;
      this.#player.currentTime = video.currentTime;
      this.#controller.seek();
    });
    this.#draw();
  }

  async #press(): Promise<void> {
    if (this.#context.getCurrentSession() !== null) {
      this.#context.endCurrentSession(true);
      return;
    }
    // The request rejects if the viewer chooses no receiver.
    const isThere = await this.#context.requestSession().then(
      () => true,
      () => false,
    );
    if (isThere) await this.#load();
  }

  async #load(): Promise<void> {
    const { video, session } = this.#parts;
    const { source, title } = session.state;
    const running = this.#context.getCurrentSession();
    if (source === null || running === null) return;
    const { MediaInfo, GenericMediaMetadata, LoadRequest } = this.#sender.media;
    const url = new URL(source.playlistUrl, location.href).href;
    const info = Object.assign(new MediaInfo(url, 'application/vnd.apple.mpegurl'), {
      streamType: session.isLive ? 'LIVE' : 'BUFFERED',
      hlsSegmentFormat: 'fmp4',
      hlsVideoSegmentFormat: 'fmp4',
      metadata: Object.assign(new GenericMediaMetadata(), { title }),
    });
    const request = new LoadRequest(info);
    await running.loadMedia(Object.assign(request, { autoplay: !video.paused, currentTime: video.currentTime }));
    video.pause();
    this.#draw();
  }

  #draw(): void {
    const { frame, video, say } = this.#parts;
    const running = this.#context.getCurrentSession();
    const wasCasting = frame.hasAttribute('casting');
    const isCasting = running !== null && this.#player.isConnected;
    this.#button.hidden = this.#context.getCastState() === 'NO_DEVICES_AVAILABLE';
    this.#panel.hidden = !isCasting;
    frame.toggleAttribute('casting', isCasting);
    if (isCasting) {
      this.#place.textContent = say('cast.on', { device: running.getCastDevice().friendlyName });
      this.#toggle.textContent = say(this.#player.isPaused ? 'play' : 'pause');
    } else if (wasCasting) {
      // Local playback resumes at the receiver's position.
      if (this.#player.currentTime > 0) video.currentTime = this.#player.currentTime;
      if (!this.#player.isPaused) video.play().catch(() => undefined);
    }
  }
}
