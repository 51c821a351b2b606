import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');

const pathOf = (name: string) => `${/^daemon(\/|$)/.test(name) ? '' : 'src/'}${name}/`;

/** The rows of a table, as the folder and the folders that it may import besides its own. */
function tableOf(heading: string): Map<string, string[]> {
  const [, table = ''] = new RegExp(`^\\| ${heading} \\|.*\\n((?:\\|.*\\n)*)`, 'm').exec(page) ?? [];
  const rows = [...table.matchAll(/^\| `((?:src|daemon)[\w/-]*)` \| .* \| ([^|]*) \|$/gm)];
  return new Map(
    rows.map(([, folder = '', names = '']) => [`${folder}/`, names === 'nothing' ? [] : names.split(', ').map(pathOf)]),
  );
}

/**
 * The tables in CONTRIBUTING.md, "Rooms". Files outside of these folders put the others together, or are for all of
 * them, as src/errors.ts is.
 */
export const wings = tableOf('wing');
export const rooms = tableOf('room');
