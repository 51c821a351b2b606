import { inkOn, judgeLook, PLAIN_LOOK, type PortalLook } from '../../src/domain/portal/portal-look';
import { fixTheme, isTheme, offeredTheme, offerTheme } from './theme';

const FONTS: Record<NonNullable<PortalLook['font']>, string> = {
  INTER: '"Inter Variable", "Inter", ui-sans-serif, system-ui, sans-serif',
  SYSTEM: 'system-ui, sans-serif',
  GROTESQUE: '"Helvetica Neue", Helvetica, Arial, sans-serif',
  HUMANIST: 'Seravek, "Gill Sans Nova", Ubuntu, Calibri, "DejaVu Sans", sans-serif',
  GEOMETRIC: 'Avenir, Montserrat, Corbel, "URW Gothic", sans-serif',
  SERIF: 'Charter, "Bitstream Charter", "Sitka Text", Cambria, serif',
};

/** The radii of styles.css as parts of that of cards. */
const RADII = { '--radius-xs': 0.25, '--radius-sm': 0.5, '--radius-md': 0.75, '--radius-lg': 1, '--radius-xl': 1.5 };

let look: PortalLook = PLAIN_LOOK;
const listeners = new Set<() => void>();

/** For useSyncExternalStore. */
export const currentLook = {
  read: (): PortalLook => look,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/**
 * Paints the page with a theme and a look. Values that are missing, or undefined, stay as they are.
 *
 * @returns what is wrong with the look, and then nothing of it changes
 */
export function offerLook({ theme, ...change }: Readonly<Record<string, unknown>>): string[] {
  const wanted: Record<string, unknown> = { ...look };
  for (const field of Object.keys(PLAIN_LOOK)) {
    if (change[field] !== undefined) {
      wanted[field] = change[field];
    }
  }
  const issues = judgeLook(wanted, (isTheme(theme) ? theme : offeredTheme()) !== 'auto');
  if (isTheme(theme) && !issues.some(({ field }) => field === 'transparent')) {
    offerTheme(theme);
  }
  if (issues.length > 0) {
    return issues.map(({ field, detail }) => `${field} ${detail}`);
  }
  look = wanted as unknown as PortalLook;
  paint();
  for (const listener of listeners) {
    listener();
  }
  return [];
}

/** Custom properties of one element: no style sheet is made, so the policy of the page stays as strict as it is. */
function paint(): void {
  const { dataset, style } = document.documentElement;
  const set = (name: string, value: string | null) =>
    value === null ? style.removeProperty(name) : style.setProperty(name, value);
  for (const [theme, colour] of [
    ['light', look.accent],
    ['dark', look.accentDark],
  ] as const) {
    set(`--own-accent-${theme}`, colour);
    set(`--own-accent-ink-${theme}`, colour === null ? null : inkOn(colour));
  }
  set('--ui-font', look.font === null ? null : FONTS[look.font]);
  for (const [name, part] of Object.entries(RADII)) {
    set(name, look.radius === null ? null : `${look.radius * part}px`);
  }
  if (look.accent === null) {
    delete dataset['ownAccent'];
  } else {
    dataset['ownAccent'] = '';
  }
  dataset['ground'] = look.transparent ? 'transparent' : 'own';
  fixTheme(look.transparent);
}
