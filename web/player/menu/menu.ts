import { make } from '../base/dom.ts';
import { icon } from '../base/icon.ts';

export type MenuEntry =
  /** Opens another page. `value` is its current choice. */
  | { kind: 'page'; label: string; value: string; page: string }
  | { kind: 'choice'; label: string; detail?: string; isChosen: boolean; choose(): void; staysOpen?: boolean };

/** A list to choose from. `entries` is called each time it is drawn. */
export type MenuPage = { id: string; title: string; parent: string | null; entries(): MenuEntry[] };

/** Maximum time between the end of a press and its click event, in ms. */
const CLICK_WITHIN_MS = 100;

/**
 * A menu of pages: one list at a time, opened from its button, closed by Escape, by a choice, or by a click elsewhere.
 * Arrow keys move within the list. The back entry returns to the previous page. Event: `toggle`.
 */
export class Menu extends HTMLElement {
  #pages: readonly MenuPage[] = [];
  #page: MenuPage | null = null;
  #button: HTMLElement | null = null;
  /**
   * True between pointerdown and pointerup. Entries are not redrawn in this time, because they would not receive the
   * click.
   */
  #isPressed = false;
  #isStale = false;
  #releasing: ReturnType<typeof setTimeout> | undefined;

  use(pages: readonly MenuPage[]): void {
    this.#pages = pages;
    this.hidden = true;
    this.addEventListener('keydown', (event) => this.#press(event));
    this.addEventListener('pointerdown', () => {
      clearTimeout(this.#releasing);
      this.#isPressed = true;
    });
    for (const name of ['pointerup', 'pointercancel']) document.addEventListener(name, () => this.#releaseSoon());
    document.addEventListener('pointerdown', (event) => {
      const path = event.composedPath();
      if (this.isOpen && !path.includes(this) && !(this.#button && path.includes(this.#button))) this.close(false);
    });
  }

  get isOpen(): boolean {
    return !this.hidden;
  }

  /** Opens a page for a button, or closes the menu if that button opened it. */
  toggle(button: HTMLElement, id: string): void {
    if (this.isOpen && this.#button === button) {
      this.close(true);
      return;
    }
    this.#button?.setAttribute('aria-expanded', 'false');
    this.#button = button;
    button.setAttribute('aria-expanded', 'true');
    this.hidden = false;
    this.#show(id);
    this.dispatchEvent(new Event('toggle'));
  }

  close(returnsFocus: boolean): void {
    if (!this.isOpen) return;
    this.hidden = true;
    this.#page = null;
    this.#button?.setAttribute('aria-expanded', 'false');
    if (returnsFocus) this.#button?.focus();
    this.#button = null;
    this.dispatchEvent(new Event('toggle'));
  }

  /** Redraws the open page after its entries have changed. */
  refresh(): void {
    if (this.#page === null) return;
    this.#isStale = this.#isPressed;
    if (this.#isStale) return;
    const index = this.#items.indexOf(document.activeElement as HTMLElement); // -1 if it is not an item
    this.#draw(this.#page);
    if (index >= 0) this.#items[Math.min(index, this.#items.length - 1)]?.focus();
  }

  #releaseSoon(): void {
    clearTimeout(this.#releasing);
    this.#releasing = setTimeout(() => {
      this.#isPressed = false;
      if (this.#isStale) this.refresh();
    }, CLICK_WITHIN_MS);
  }

  get #items(): HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('[role^=menuitem]')];
  }

  #show(id: string): void {
    const page = this.#pages.find((one) => one.id === id);
    if (page === undefined) return;
    const came = this.#page?.id;
    this.#page = page;
    this.#draw(page);
    const items = this.#items;
    const chosen = items.find((item) => item.getAttribute('aria-checked') === 'true' || item.dataset.page === came);
    const target = chosen ?? items[page.parent === null ? 0 : 1] ?? items[0];
    target?.focus({ preventScroll: true });
    target?.scrollIntoView({ block: 'nearest' });
  }

  #draw(page: MenuPage): void {
    const list = make('div', { class: 'list', role: 'menu', 'aria-label': page.title });
    const { parent } = page;
    if (parent !== null && this.#pages.some(({ id }) => id === parent)) {
      const back = make('button', { type: 'button', role: 'menuitem', class: 'back' }, icon('previous'), page.title);
      back.addEventListener('click', () => this.#show(parent));
      list.append(back);
    } else {
      list.append(make('div', { class: 'heading', role: 'presentation' }, page.title));
    }
    list.append(...page.entries().map((entry) => this.#item(entry)));
    this.replaceChildren(list);
  }

  #item(entry: MenuEntry): HTMLElement {
    const label = make('span', { class: 'label' }, entry.label);
    if (entry.kind === 'page') {
      const value = make('span', { class: 'value' }, entry.value);
      const item = make('button', {
        type: 'button',
        role: 'menuitem',
        'aria-haspopup': 'menu',
        'data-page': entry.page,
      });
      item.append(label, value, icon('next'));
      item.addEventListener('click', () => this.#show(entry.page));
      return item;
    }
    const item = make('button', { type: 'button', role: 'menuitemradio', 'aria-checked': String(entry.isChosen) });
    item.append(icon('chosen'), label, ...(entry.detail ? [make('span', { class: 'value' }, entry.detail)] : []));
    item.addEventListener('click', () => {
      entry.choose();
      if (entry.staysOpen) this.refresh();
      else this.close(true);
    });
    return item;
  }

  #press(event: KeyboardEvent): void {
    const items = this.#items;
    const index = items.indexOf(document.activeElement as HTMLElement); // -1 if it is not an item
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isRtl = document.documentElement.dir === 'rtl';
    const [back, onward] = isRtl ? ['ArrowRight', 'ArrowLeft'] : ['ArrowLeft', 'ArrowRight'];
    const end = { Home: 0, End: items.length - 1 }[event.key];
    if (event.key === 'Escape' || event.key === 'Tab') this.close(event.key === 'Escape');
    else if (event.key === back && this.#page?.parent) this.#show(this.#page.parent);
    else if (event.key === onward && items[index]?.dataset.page) this.#show(items[index].dataset.page);
    else if (step !== undefined) items[(index + step + items.length) % items.length]?.focus();
    else if (end !== undefined) items[end]?.focus();
    // The browser handles Enter and Space. All other keys are not passed on to the player.
    else if (event.key !== 'Enter' && event.key !== ' ') return;
    event.stopPropagation();
    if (event.key !== 'Enter' && event.key !== ' ' && event.key !== 'Tab') event.preventDefault();
  }
}

customElements.define('bunny-settings-menu', Menu);
