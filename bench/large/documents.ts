import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The pages as they are served, beside the program in dist. */
const ASSETS = join(import.meta.dirname, '../../dashboard/assets');
/** The build writes each document with its fragments as one text. */
const DOCUMENT = /`(query (\w+)[^`]*)`/g;

/** The queries that the dashboard's pages send, by their names. @throws Error where the dashboard was not built */
export function dashboardQueries(folder = ASSETS): ReadonlyMap<string, string> {
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const found = new Map<string, string>();
  for (const script of scripts) {
    for (const [, text = '', name = ''] of readFileSync(join(folder, script), 'utf8').matchAll(DOCUMENT)) {
      found.set(name, text);
    }
  }
  if (found.size === 0) {
    throw new Error(`There are no queries in ${folder}. Run: npm run build`);
  }
  return found;
}
