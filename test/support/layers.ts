import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| `((?:src|daemon)\/[\w-]+)` \| .* \| ([^|]*) \|$/gm)];

const rooms: Record<string, string[]> = Object.fromEntries(
  rows.map(([, room = '', names = '']) => [
    `${room}/`,
    names === 'nothing' ? [] : names.split(', ').map((name) => `${name.replace(/^(?!daemon\/)/, 'src/')}/`),
  ]),
);

/**
 * The folders that a file of each folder may import, besides its own: the table in CONTRIBUTING.md, "Rooms". Files
 * outside of these folders put the others together, or are for all of them, as src/errors.ts is. Those of `daemon`
 * itself may import what its pipeline may.
 */
export const layers: Record<string, string[]> = {
  ...rooms,
  'daemon/': [...Object.keys(rooms).filter((room) => room.startsWith('daemon/')), ...rooms['daemon/delivery/']!],
};
