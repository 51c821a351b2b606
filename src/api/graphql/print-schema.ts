import { writeFile } from 'node:fs/promises';
import { buildGraphqlSchema, printGraphqlSchema } from './schema.js';

/** `npm run schema`: writes schema.graphql at the top of the repository. */
const file = new URL('../../../schema.graphql', import.meta.url);
await writeFile(file, printGraphqlSchema(await buildGraphqlSchema()));
