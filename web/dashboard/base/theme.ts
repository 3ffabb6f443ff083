import { keptValue } from './kept-value.ts';

const THEMES = ['system', 'light', 'dark'] as const;
/** `system`: the theme of the operating system. */
export type Theme = (typeof THEMES)[number];

const kept = keptValue<Theme>('millrace-theme', 'system', (stored) => THEMES.find((known) => known === stored) ?? null);

export function chosenTheme(): Theme {
  return kept.value;
}

export function chooseTheme(theme: Theme): void {
  kept.change(() => theme);
  applyTheme();
}

/** Applies the theme that this browser keeps. The style sheet has both. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = kept.value;
}
