import { expect, test } from 'vitest';
import { moveView, rulerTicks, showInView, toPx, toSec, wholeView, zoomView } from './view.ts';

const HOUR = 3600;

test('zooming keeps the anchor in its place, and stays between one second and the whole video', () => {
  const whole = wholeView(100);
  const zoomed = zoomView(whole, 4, 60, 100);
  expect(zoomed).toEqual({ fromSec: 45, spanSec: 25 });
  expect(toPx(60, zoomed, 1000)).toBeCloseTo(toPx(60, whole, 1000));
  expect(zoomView(zoomed, 0.01, 60, 100)).toEqual(whole);
  expect(zoomView(zoomed, 1e6, 60, 100).spanSec).toBe(1);
});

test('an anchor that is not visible is centred', () => {
  expect(zoomView({ fromSec: 0, spanSec: 20 }, 2, 70, 100)).toEqual({ fromSec: 65, spanSec: 10 });
});

test.each([
  { by: -50, fromSec: 0 },
  { by: 5, fromSec: 15 },
  { by: 500, fromSec: 80 },
])('scrolling by $by s stops at the ends', ({ by, fromSec }) => {
  expect(moveView({ fromSec: 10, spanSec: 20 }, by, 100)).toEqual({ fromSec, spanSec: 20 });
});

test('a visible position does not move the view, another is centred', () => {
  const view = { fromSec: 10, spanSec: 20 };
  expect(showInView(view, 30, 100)).toBe(view);
  expect(showInView(view, 31, 100)).toEqual({ fromSec: 21, spanSec: 20 });
  expect(showInView(view, 1, 100)).toEqual({ fromSec: 0, spanSec: 20 });
});

test('pixels and seconds are converted in both directions', () => {
  const view = { fromSec: 10, spanSec: 20 };
  expect(toSec(toPx(17.3, view, 640), view, 640)).toBeCloseTo(17.3);
});

test.each([
  { view: wholeView(10 * HOUR), widthPx: 1000, stepSec: 3600, count: 11 },
  { view: wholeView(10 * HOUR), widthPx: 330, stepSec: 14_400, count: 3 },
  { view: wholeView(20), widthPx: 1000, stepSec: 2, count: 11 },
  { view: { fromSec: 12.34, spanSec: 1 }, widthPx: 1000, stepSec: 0.1, count: 10 },
  { view: wholeView(1000 * HOUR), widthPx: 300, stepSec: 921_600, count: 4 },
])('the ruler of $view.spanSec s on $widthPx px has $count labels', ({ view, widthPx, stepSec, count }) => {
  const found = rulerTicks(view, widthPx);
  expect([found.stepSec, found.ticks.length]).toEqual([stepSec, count]);
  expect(found.ticks.every((sec) => sec >= view.fromSec - 1e-6 && sec <= view.fromSec + view.spanSec + 1e-6)).toBe(
    true,
  );
});
