import { copyKey } from '../operations/keys/copy-key.js';
import { administer } from './administer.js';
import { otherCellUrl, withOtherCell } from './other-cell.js';
import { print } from './print.js';

/** `hookwright key copy`. @param urlFile has the url of the other cell's database */
export async function copyKeyCommand(id: number, urlFile: string): Promise<void> {
  await administer(async ({ db }) => {
    const copied = await withOtherCell(await otherCellUrl(urlFile), (pool) => copyKey(db, { pool }, id));
    const { name, to, isNew, isRevokedHere, isRevokedThere } = copied;
    const forEver = isRevokedHere
      ? `is revoked in cell ${to} too`
      : `is revoked in cell ${to} for ever: make another key`;
    const state = isRevokedThere ? forEver : `works in cell ${to} too`;
    print(`Key ${id} "${name}" ${isNew ? 'is copied: it' : 'was there already. It'} ${state}.`);
  });
}
