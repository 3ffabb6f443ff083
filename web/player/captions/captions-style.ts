import type { PageConfig } from '../base/config.ts';
import type { Memory } from '../base/memory.ts';

/** Caption styles that a viewer may choose. Each overrides the library's setting. */
export const CAPTION_CHOICES = {
  size: ['75', '100', '150', '200'],
  color: ['#ffffff', '#ffeb3b', '#7ee0ff', '#8cf29a'],
  background: ['solid', 'soft', 'none'],
} as const;

export type CaptionChoice = keyof typeof CAPTION_CHOICES;

const BACKGROUNDS: Readonly<Record<string, { background: string; shadow: string }>> = {
  solid: { background: 'rgb(0 0 0)', shadow: 'none' },
  soft: { background: 'rgb(0 0 0 / .6)', shadow: 'none' },
  none: { background: 'transparent', shadow: '0 0 .12em #000, 0 0 .3em #000, 0 .06em .14em #000' },
};

/** Applies the captions' style and stores the viewer's choices. */
export class CaptionsStyle {
  readonly #target: HTMLElement;
  readonly #memory: Memory;
  readonly #sizePx: number;

  constructor(target: HTMLElement, memory: Memory, { captionsFontSizePx }: PageConfig['look']) {
    this.#target = target;
    this.#memory = memory;
    this.#sizePx = captionsFontSizePx > 0 ? captionsFontSizePx : 20;
    this.#apply();
  }

  /** Returns the viewer's choice, or null while the library's style applies. */
  chosen(choice: CaptionChoice): string | null {
    const value = this.#memory.readText(`captions-${choice}`);
    return value !== null && (CAPTION_CHOICES[choice] as readonly string[]).includes(value) ? value : null;
  }

  choose(choice: CaptionChoice, value: string | null): void {
    if (value === null) this.#memory.forget(`captions-${choice}`);
    else this.#memory.keep(`captions-${choice}`, value);
    this.#apply(choice, value);
  }

  #apply(changed?: CaptionChoice, value: string | null = null): void {
    const read = (choice: CaptionChoice) => (choice === changed ? value : this.chosen(choice));
    const { style } = this.#target;
    const set = (name: string, text: string | null) => {
      if (text === null) style.removeProperty(name);
      else style.setProperty(name, text);
    };
    const [size, color, background] = [read('size'), read('color'), read('background')];
    set('--captions-font-size', size === null ? null : `${(this.#sizePx * Number(size)) / 100}px`);
    set('--captions-text-color', color);
    set('--captions-background', background === null ? null : (BACKGROUNDS[background]?.background ?? null));
    set('--captions-text-shadow', background === null ? null : (BACKGROUNDS[background]?.shadow ?? null));
  }
}
