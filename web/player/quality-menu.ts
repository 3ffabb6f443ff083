import type { Engine } from './engine.ts';
import { icons } from './icons.ts';
import { button, element } from './parts.ts';

/** A button with the list of heights; "Auto" follows the speed of the line. */
export function mountQualityMenu(engine: Engine): HTMLElement {
  const box = element('div', 'quality');
  const list = element('div', 'menu');
  list.setAttribute('role', 'menu');
  list.hidden = true;
  const open = button('quality-button', 'Quality', icons.quality, () => {
    list.hidden = !list.hidden;
    open.setAttribute('aria-expanded', String(!list.hidden));
  });
  open.setAttribute('aria-haspopup', 'menu');
  const close = () => {
    list.hidden = true;
    open.setAttribute('aria-expanded', 'false');
  };
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });
  document.addEventListener('pointerdown', (event) => {
    if (event.target instanceof Node && !box.contains(event.target)) close();
  });

  const refresh = () => {
    const heights = [...new Set(engine.qualities.map(({ heightPx }) => heightPx))].sort((a, b) => b - a);
    const shown = engine.shownHeightPx;
    const choose = (heightPx: number | null) => () => {
      engine.wish(heightPx);
      close();
    };
    const auto = engine.wishedHeightPx === null && shown !== null ? `Auto (${shown}p)` : 'Auto';
    list.replaceChildren(
      entry(auto, engine.wishedHeightPx === null, choose(null)),
      ...heights.map((heightPx) => entry(`${heightPx}p`, engine.wishedHeightPx === heightPx, choose(heightPx))),
    );
    box.hidden = heights.length === 0;
  };
  engine.addEventListener('qualities', refresh);
  refresh();
  box.append(list, open);
  return box;
}

function entry(label: string, isChosen: boolean, onClick: () => void): HTMLButtonElement {
  const made = button('choice', label, '', onClick);
  made.textContent = label;
  made.setAttribute('role', 'menuitemradio');
  made.setAttribute('aria-checked', String(isChosen));
  return made;
}
