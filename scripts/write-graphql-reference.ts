import { readFile, writeFile } from 'node:fs/promises';
import { graphqlReference } from './graphql-reference.js';

/** `npm run schema`: writes docs/graphql-reference.md. */
const schema = await readFile(new URL('../schema.graphql', import.meta.url), 'utf8');
await writeFile(new URL('../docs/graphql-reference.md', import.meta.url), graphqlReference(schema));
