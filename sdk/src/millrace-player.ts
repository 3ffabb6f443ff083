const CONTEXT = 'player.js';
const VERSION = '0.0.11';
/** Distance from the visible part of the page at which the player is loaded. */
const LOAD_MARGIN = '400px';
/** Attributes that become options of the player page without a change. */
const OPTIONS = ['token', 'expires', 'captions', 'preload'] as const;
const FLAGS = ['autoplay', 'muted', 'loop'] as const;
/** Events of the player that the element dispatches. */
const RELAYED = ['play', 'pause', 'ended', 'seeked', 'timeupdate', 'progress', 'playbackratechange', 'error'] as const;

/** Details of the events of the element. */
export type MillracePlayerEvents = {
  /** The player responds to calls. */
  ready: CustomEvent<null>;
  play: CustomEvent<null>;
  pause: CustomEvent<null>;
  ended: CustomEvent<null>;
  seeked: CustomEvent<null>;
  timeupdate: CustomEvent<{ seconds: number; duration: number }>;
  /** Fraction of the video that is loaded, 0 to 1. */
  progress: CustomEvent<{ percent: number }>;
  playbackratechange: CustomEvent<{ playbackRate: number }>;
  /** `code` is the code of the player page, such as `denied` or `gone`. */
  error: CustomEvent<{ code: string }>;
};

/** Methods of the player and the types of their arguments and results. */
type Methods = {
  play: { value: undefined; result: undefined };
  pause: { value: undefined; result: undefined };
  mute: { value: undefined; result: undefined };
  unmute: { value: undefined; result: undefined };
  setVolume: { value: number; result: undefined };
  setCurrentTime: { value: number; result: undefined };
  setLoop: { value: boolean; result: undefined };
  setPlaybackRate: { value: number; result: undefined };
  getPaused: { value: undefined; result: boolean };
  getMuted: { value: undefined; result: boolean };
  getVolume: { value: undefined; result: number };
  getDuration: { value: undefined; result: number };
  getCurrentTime: { value: undefined; result: number };
  getLoop: { value: undefined; result: boolean };
  getPlaybackRate: { value: undefined; result: number };
};

/** Server-side rendering imports this module without a DOM. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? class {};

/**
 * `<millrace-player src="https://media.example" library="1" video="GUID">`: the player page in a frame. It loads when
 * the element comes near the visible part of the page, or at the first call. Attributes: `token` and `expires` of a
 * signed URL, `autoplay`, `muted`, `loop`, `start` (seconds, or `1m30s`), `captions`, `preload`, `ratio` (such as
 * `16/9`), `label` (title of the frame), `eager` (loads immediately).
 */
export class MillracePlayer extends Base {
  static readonly observedAttributes: readonly string[] = [
    'src',
    'library',
    'video',
    'start',
    'ratio',
    'label',
    'eager',
    ...OPTIONS,
  ];

  #frame: HTMLIFrameElement | null = null;
  #observer: IntersectionObserver | null = null;
  #isReady = false;
  #waiting: object[] = [];
  #calls = new Map<string, PromiseWithResolvers<unknown>>();
  #lastCall = 0;

  /** URL of the player page with the options of the attributes. Null without `src`, `library` and `video`. */
  get address(): string | null {
    const [src, library, video] = ['src', 'library', 'video'].map((name) => this.getAttribute(name)?.trim() ?? '');
    if (!src || !library || !video) return null;
    const path = `/embed/${encodeURIComponent(library)}/${encodeURIComponent(video)}`;
    const address = new URL(`${src.replace(/\/+$/, '')}${path}`, document.baseURI);
    for (const name of FLAGS) address.searchParams.set(name, String(this.hasAttribute(name)));
    for (const name of OPTIONS) setIfGiven(address, name, this.getAttribute(name));
    setIfGiven(address, 't', this.getAttribute('start'));
    return address.href;
  }

  /** Adds a listener; `detail` of the player's events is typed. */
  override addEventListener<Name extends keyof MillracePlayerEvents>(
    name: Name,
    listener: (event: MillracePlayerEvents[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    name: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    name: string,
    // The player's events are instances of `CustomEvent`, whose details only the overload above names.
    listener: EventListenerOrEventListenerObject | ((event: never) => void) | null,
    options?: boolean | AddEventListenerOptions,
  ): void {
    if (listener !== null) super.addEventListener(name, listener as EventListenerOrEventListenerObject, options);
  }

  connectedCallback(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    const style = new CSSStyleSheet();
    const ratio = /^\s*\d+(\.\d+)?\s*(\/\s*\d+(\.\d+)?\s*)?$/.exec(this.getAttribute('ratio') ?? '')?.[0] ?? '16/9';
    style.replaceSync(
      `:host{display:block;width:100%;aspect-ratio:${ratio}}:host([hidden]){display:none}` +
        'iframe{display:block;border:0;width:100%;height:100%}',
    );
    root.adoptedStyleSheets = [style];
    window.addEventListener('message', this.#receive);
    if (this.hasAttribute('eager')) this.#load();
    else this.#watch(LOAD_MARGIN);
  }

  disconnectedCallback(): void {
    window.removeEventListener('message', this.#receive);
    this.#unload();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after || !this.isConnected || this.shadowRoot === null) return;
    if (name === 'label' && this.#frame !== null) this.#frame.title = this.#label;
    else if (name !== 'label') {
      this.disconnectedCallback();
      this.connectedCallback();
    }
  }

  /**
   * Calls a method of the player. Loads the player if necessary, and waits until it is ready. Rejects if the element is
   * removed or its URL changes before the response.
   */
  call<Name extends keyof Methods>(
    method: Name,
    ...[value]: Methods[Name]['value'] extends undefined ? [] : [value: Methods[Name]['value']]
  ): Promise<Methods[Name]['result']> {
    this.#load();
    if (this.#frame === null) {
      return Promise.reject(new Error('Expected the attributes src, library and video on a connected element.'));
    }
    const hasResult = method.startsWith('get');
    this.#lastCall += 1;
    const listener = `millrace-${this.#lastCall}`;
    this.#send({ method, value, ...(hasResult && { listener }) });
    if (!hasResult) return Promise.resolve() as Promise<Methods[Name]['result']>;
    const waiting = Promise.withResolvers<unknown>();
    this.#calls.set(listener, waiting);
    // The player responds with the type that `Methods` names.
    return waiting.promise as Promise<Methods[Name]['result']>;
  }

  play(): Promise<undefined> {
    return this.call('play');
  }

  pause(): Promise<undefined> {
    return this.call('pause');
  }

  get #label(): string {
    return this.getAttribute('label') ?? 'Video player';
  }

  /** Loads the player once the element is within a margin of the visible part of the page. */
  #watch(rootMargin: string): void {
    this.#observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) this.#load();
      },
      { rootMargin },
    );
    this.#observer.observe(this);
  }

  #load(): void {
    const address = this.address;
    if (this.#frame !== null || address === null || !this.isConnected) return;
    this.#observer?.disconnect();
    const frame = document.createElement('iframe');
    frame.title = this.#label;
    frame.allow = 'autoplay; encrypted-media; picture-in-picture; fullscreen';
    frame.src = address;
    this.#frame = frame;
    this.shadowRoot?.append(frame);
  }

  #unload(): void {
    this.#observer?.disconnect();
    this.#frame?.remove();
    this.#frame = null;
    this.#isReady = false;
    this.#waiting = [];
    for (const { reject } of this.#calls.values()) reject(new Error('The player was removed before it responded.'));
    this.#calls.clear();
  }

  #send(message: object): void {
    if (this.#isReady) this.#post(message);
    else this.#waiting.push(message);
  }

  #post(message: object): void {
    if (this.#frame === null) return;
    const text = JSON.stringify({ context: CONTEXT, version: VERSION, ...message });
    this.#frame.contentWindow?.postMessage(text, new URL(this.#frame.src).origin);
  }

  readonly #receive = ({ source, origin, data }: MessageEvent): void => {
    const frame = this.#frame;
    if (frame === null || source !== frame.contentWindow || origin !== new URL(frame.src).origin) return;
    const message = readMessage(data);
    if (message === null) return;
    const { event, value, listener } = message;
    if (listener !== undefined && this.#calls.has(listener)) {
      this.#calls.get(listener)?.resolve(value);
      this.#calls.delete(listener);
    } else if (event === 'ready') this.#becomeReady();
    else if (RELAYED.some((name) => name === event))
      this.dispatchEvent(new CustomEvent(event, { detail: value ?? null }));
  };

  #becomeReady(): void {
    // The player repeats `ready` until it receives a message.
    if (this.#isReady) return;
    this.#isReady = true;
    for (const name of RELAYED) this.#post({ method: 'addEventListener', value: name });
    for (const message of this.#waiting.splice(0)) this.#post(message);
    this.dispatchEvent(new CustomEvent('ready', { detail: null }));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'millrace-player': MillracePlayer;
  }
}

if (globalThis.customElements !== undefined && customElements.get('millrace-player') === undefined) {
  customElements.define('millrace-player', MillracePlayer);
}

function setIfGiven({ searchParams }: URL, name: string, value: string | null): void {
  if (value !== null && value !== '') searchParams.set(name, value);
}

type Message = { event: string; value: unknown; listener: string | undefined };

function readMessage(data: unknown): Message | null {
  let message: unknown = data;
  if (typeof data === 'string') {
    try {
      message = JSON.parse(data);
    } catch {
      return null;
    }
  }
  const { context, event, value, listener } = Object(message);
  if (context !== CONTEXT || typeof event !== 'string') return null;
  return { event, value, listener: typeof listener === 'string' ? listener : undefined };
}
