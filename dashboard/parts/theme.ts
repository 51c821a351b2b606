/** What the person, or the operator for the person, has chosen. `auto` follows the system. */
export type Theme = 'light' | 'dark' | 'auto';

const system = matchMedia('(prefers-color-scheme: dark)');
let chosen: Theme = 'auto';

/** Paints the page in a theme, and follows the system where that is the choice. */
export function setTheme(theme: Theme): void {
  chosen = theme;
  document.documentElement.dataset['theme'] = theme === 'auto' ? (system.matches ? 'dark' : 'light') : theme;
}

/** The choice, which is not the colour where it is `auto`. */
export function currentTheme(): Theme {
  return chosen;
}

system.addEventListener('change', () => setTheme(chosen));
