/** Maximum time between the taps of a double tap, in ms. */
const DOUBLE_TAP_MS = 300;
/** Width of the tap area on each side, as a fraction of the frame. */
const SIDE_SHARE = 1 / 3;
const SEEK_SEC = 10;

/**
 * Time after a tap on hidden controls in which clicks are ignored, in ms. It is longer than one tap and shorter than
 * two.
 */
const TAP_MS = 400;

/**
 * Makes a first tap on hidden controls only show them, because the viewer cannot see what is tapped. Controls of
 * audio-only media are always visible.
 */
export function mountTouch(frame: HTMLElement, video: HTMLVideoElement): void {
  let blindAtMs = Number.NEGATIVE_INFINITY;
  frame.addEventListener(
    'pointerdown',
    ({ pointerType }) => {
      const isHidden = frame.hasAttribute('userinactive') && !frame.hasAttribute('audio-only');
      const isBlind = pointerType === 'touch' && !video.paused && isHidden;
      if (isBlind) blindAtMs = performance.now();
    },
    { capture: true },
  );
  frame.addEventListener(
    'click',
    (event) => {
      if (performance.now() - blindAtMs > TAP_MS) return;
      event.stopPropagation();
      event.preventDefault();
    },
    { capture: true },
  );
}

/**
 * Seeks back or forward with two quick taps on a side of the video, and again with each additional tap. `dblclick`
 * events of the same taps are stopped, because they toggle full screen.
 */
export function mountSideTaps(frame: HTMLElement, video: HTMLVideoElement, seekBy: (deltaSec: number) => void): void {
  let last = { side: 0, atMs: Number.NEGATIVE_INFINITY };
  let seekedAtMs = Number.NEGATIVE_INFINITY;
  frame.addEventListener('pointerup', ({ pointerType, target, clientX }) => {
    if (pointerType !== 'touch' || (target !== video && target !== frame)) return;
    const { left, width } = frame.getBoundingClientRect();
    const [side, atMs] = [sideOf((clientX - left) / width), performance.now()];
    const isRepeated = side !== 0 && side === last.side && atMs - last.atMs <= DOUBLE_TAP_MS;
    last = { side, atMs };
    if (!isRepeated) return;
    seekedAtMs = atMs;
    seekBy(side * SEEK_SEC);
  });
  frame.addEventListener(
    'dblclick',
    (event) => {
      if (performance.now() - seekedAtMs <= DOUBLE_TAP_MS) event.stopImmediatePropagation();
    },
    { capture: true },
  );
}

/** Returns the seek direction of a tap position: -1 (back) or 1 (forward) at the sides, 0 in the middle. */
function sideOf(share: number): -1 | 0 | 1 {
  if (share >= SIDE_SHARE && share <= 1 - SIDE_SHARE) return 0;
  const isStart = share < SIDE_SHARE;
  return isStart === (document.documentElement.dir === 'rtl') ? 1 : -1;
}
