import { writeFile } from 'node:fs/promises';
import { asJson, asKeyTsv, asTsv, KEY_VECTORS, VECTORS } from './receiver-vectors.js';

/** `npm run vectors`: writes packages/receiver/vectors. */
const folder = new URL('../packages/receiver/vectors/', import.meta.url);
await writeFile(new URL('v1.json', folder), asJson(VECTORS));
await writeFile(new URL('v1.tsv', folder), asTsv(VECTORS));
await writeFile(new URL('v2.json', folder), asJson(KEY_VECTORS));
await writeFile(new URL('v2.tsv', folder), asKeyTsv(KEY_VECTORS));
