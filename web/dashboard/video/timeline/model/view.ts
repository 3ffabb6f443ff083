/** The visible part of a timeline, in seconds. */
export type View = { fromSec: number; spanSec: number };

/** Minimum length of the visible part, at which single frames can be told apart. */
const MIN_SPAN_SEC = 1;
/** Minimum distance between labels of the ruler. */
const MIN_LABEL_PX = 76;
const STEPS_SEC = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400];

export function wholeView(lengthSec: number): View {
  return { fromSec: 0, spanSec: Math.max(lengthSec, MIN_SPAN_SEC) };
}

/**
 * Zooms in by `factor`, or out if it is below 1. The anchor stays in its position, or is centred if it was not visible.
 */
export function zoomView(view: View, factor: number, anchorSec: number, lengthSec: number): View {
  const spanSec = Math.min(wholeView(lengthSec).spanSec, Math.max(MIN_SPAN_SEC, view.spanSec / factor));
  const share = (anchorSec - view.fromSec) / view.spanSec;
  return clampView({ fromSec: anchorSec - (share < 0 || share > 1 ? 0.5 : share) * spanSec, spanSec }, lengthSec);
}

export function moveView(view: View, bySec: number, lengthSec: number): View {
  return clampView({ ...view, fromSec: view.fromSec + bySec }, lengthSec);
}

/** Returns the view with a position in it. A position that is not visible is centred. */
export function showInView(view: View, sec: number, lengthSec: number): View {
  if (sec >= view.fromSec && sec <= view.fromSec + view.spanSec) return view;
  return clampView({ ...view, fromSec: sec - view.spanSec / 2 }, lengthSec);
}

function clampView({ fromSec, spanSec }: View, lengthSec: number): View {
  return { fromSec: Math.min(Math.max(0, lengthSec - spanSec), Math.max(0, fromSec)), spanSec };
}

export function toPx(sec: number, { fromSec, spanSec }: View, widthPx: number): number {
  return ((sec - fromSec) / spanSec) * widthPx;
}

export function toSec(px: number, { fromSec, spanSec }: View, widthPx: number): number {
  return fromSec + (px / Math.max(1, widthPx)) * spanSec;
}

/** Returns the times of the ruler's labels in the view, and their distance. */
export function rulerTicks({ fromSec, spanSec }: View, widthPx: number): { stepSec: number; ticks: number[] } {
  const minSec = (MIN_LABEL_PX / Math.max(1, widthPx)) * spanSec;
  const longest = STEPS_SEC.at(-1) ?? 1;
  const stepSec = STEPS_SEC.find((step) => step >= minSec) ?? Math.ceil(minSec / longest) * longest;
  const first = Math.ceil(fromSec / stepSec - 1e-6);
  const count = Math.max(0, Math.floor((fromSec + spanSec) / stepSec + 1e-6) - first + 1);
  return { stepSec, ticks: Array.from({ length: count }, (_, index) => (first + index) * stepSec) };
}
