import { writeFile } from 'node:fs/promises';
import { queriesPage } from './queries-page.js';

/** `npm run dashboard:queries`: writes docs/dashboard-queries.md. */
await writeFile(new URL('../docs/dashboard-queries.md', import.meta.url), queriesPage());
