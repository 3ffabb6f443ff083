import type { ControlParts } from '../parts.ts';
import type { Actions } from './actions.ts';

const SEEK_SEC = 10;
const VOLUME_STEP = 0.05;
const RATE_STEP = 0.25;

/** Shortcut keys, each with the text key of its action, in the order of the help dialog. */
export const KEYS: readonly { keys: readonly string[]; word: string }[] = [
  { keys: ['Space', 'K'], word: 'keys.play' },
  { keys: ['←', '→', 'J', 'L'], word: 'keys.seek' },
  { keys: [',', '.'], word: 'keys.frame' },
  { keys: ['0', '…', '9'], word: 'keys.jump' },
  { keys: ['↑', '↓'], word: 'keys.volume' },
  { keys: ['M'], word: 'keys.mute' },
  { keys: ['C'], word: 'keys.captions' },
  { keys: ['F'], word: 'keys.fullscreen' },
  { keys: ['I'], word: 'keys.pip' },
  { keys: ['R'], word: 'keys.loop' },
  { keys: ['<', '>'], word: 'keys.speed' },
  { keys: ['Shift+N', 'Shift+P'], word: 'keys.playlist' },
  { keys: ['?'], word: 'keys.help' },
];

type KeyActions = { actions: Actions; toggleCaptions(): void; toggleHelp(): void; wake(): void };

export function mountKeyboard(parts: ControlParts, keyActions: KeyActions): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    if (isPressed(event)) return;
    const isOfHelp = event.key === '?' || event.key === 'Escape';
    const action = parts.session.isPlayable || isOfHelp ? findAction(event, parts, keyActions) : undefined;
    if (action === undefined) return;
    event.preventDefault();
    action();
    keyActions.wake();
  });
}

/** Whether a key presses the focused element, as Space and Enter do. */
function isPressed({ key, target }: KeyboardEvent): boolean {
  if (key !== ' ' && key !== 'Enter') return false;
  return (
    target instanceof HTMLElement &&
    target.matches('button, a, [role=button], [role=switch], [role=menuitem], [role=menuitemradio]')
  );
}

/** Whether the viewer is typing in a form field, which owners may add by the custom HTML of the page. */
export function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement && target.matches('input:not([type=range]), textarea, select, [contenteditable]')
  );
}

/** Returns the key in lower case. For a letter or digit of another script, returns the Latin one on the same key. */
export function keyOf({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string {
  const isOtherScript = /^(?!\p{Script=Latin}|[0-9])[\p{L}\p{M}\p{Nd}]$/u.test(key);
  const place = isOtherScript ? /^(?:Key|Digit)(.)$/.exec(code)?.[1] : undefined;
  return (place ?? key).toLowerCase();
}

function findAction(
  event: KeyboardEvent,
  { video, options }: ControlParts,
  { actions, ...rest }: KeyActions,
): (() => void) | undefined {
  const key = keyOf(event);
  if (/^[0-9]$/.test(key)) return () => actions.seekToPart(Number(key) / 10);
  if (!options.showsSpeed && (key === '<' || key === '>')) return undefined;
  const onVolume = event.target instanceof HTMLElement && event.target.matches('media-volume-range');
  const toRight = document.documentElement.dir === 'rtl' ? -1 : 1;
  const move = (steps: number) =>
    onVolume ? actions.changeVolume(steps * VOLUME_STEP) : actions.seekBy(steps * SEEK_SEC);
  const found: Record<string, () => void> = {
    ' ': actions.togglePlay,
    k: actions.togglePlay,
    arrowleft: () => move(-toRight),
    arrowright: () => move(toRight),
    arrowup: () => actions.changeVolume(VOLUME_STEP),
    arrowdown: () => actions.changeVolume(-VOLUME_STEP),
    m: actions.toggleMute,
    f: actions.toggleFullscreen,
    c: rest.toggleCaptions,
    j: () => actions.seekBy(-SEEK_SEC),
    l: () => actions.seekBy(SEEK_SEC),
    ',': () => actions.stepFrames(-1),
    '.': () => actions.stepFrames(1),
    i: actions.togglePip,
    r: () => {
      video.loop = !video.loop;
    },
    '<': () => actions.changeRate(-RATE_STEP),
    '>': () => actions.changeRate(RATE_STEP),
    '?': rest.toggleHelp,
  };
  return found[key];
}
