import { tabStorage } from '../api/tab-storage';

/** The theme that the person chose, or the operator for the person. `auto` follows the system. */
export type Theme = 'light' | 'dark' | 'auto';

export const isTheme = (text: unknown): text is Theme => text === 'light' || text === 'dark' || text === 'auto';

const system = matchMedia('(prefers-color-scheme: dark)');

const kept = tabStorage.read('theme');
/** The theme that the person chose for this tab. */
let chosen: Theme | undefined = isTheme(kept) ? kept : undefined;
let current: Theme = 'auto';
/** The person cannot choose, because the ground is that of the page around the portal. */
let isFixed = false;

/** Paints the page as the person chooses: from then on in this tab, whatever others want. */
export function chooseTheme(theme: Theme): void {
  tabStorage.write('theme', theme);
  chosen = theme;
  paint();
}

/** Paints the page in the theme that the operator wants, unless the person has chosen one. */
export function offerTheme(theme: Theme): void {
  current = theme;
  paint();
}

/** The choice, which is not the colour where it is `auto`. */
export function currentTheme(): Theme {
  return isFixed ? current : (chosen ?? current);
}

/** The theme that the operator wants. */
export const offeredTheme = (): Theme => current;

/** Whether a person may choose. */
export const isThemeFixed = (): boolean => isFixed;

export function fixTheme(fixed: boolean): void {
  isFixed = fixed;
  paint();
}

function paint(): void {
  const theme = currentTheme();
  document.documentElement.dataset['theme'] = theme === 'auto' ? (system.matches ? 'dark' : 'light') : theme;
}

system.addEventListener('change', paint);
