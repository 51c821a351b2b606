import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { groups } from './sidebar.ts';

export const root = join(import.meta.dirname, '../..');

interface Item {
  text: string;
  link?: string;
  collapsed?: boolean;
  items?: Item[];
}

const titleOf = (page: string) => /^# (.+)$/m.exec(readFileSync(join(root, page), 'utf8'))![1]!;
const find = (pattern: string) => globSync(pattern, { cwd: root }).sort();
const named = Object.values(groups)
  .flat()
  .map((name) => normalize(`docs/${name}.md`));
const packages = find('packages/*/README.md');
const decisions = find('docs/decisions/[0-9]*.md');

/** The pages of the site, as paths in the repository. */
export const pages: readonly string[] = [...named, ...packages, 'docs/decisions/README.md', ...decisions];

const faults = [
  ...find('docs/**/*.md')
    .filter((page) => !pages.includes(page))
    .map((page) => `${page} is not in it`),
  ...named.filter((page) => !existsSync(join(root, page))).map((page) => `${page} does not exist`),
];
if (faults.length > 0) {
  throw new Error(`site/.vitepress/sidebar.ts: ${faults.join(', ')}`);
}

/** Names of pages differ not only by capitals: SECURITY.md is not docs/security.md. */
const places: Record<string, string> = {
  'README.md': 'index.md',
  'SECURITY.md': 'vulnerabilities.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
};

/** Where a page of the repository stands in the site. */
export const placeOf = (page: string): string =>
  places[page] ?? page.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');

/** @returns the address of a page within the site */
export const addressOf = (page: string): string =>
  `/${placeOf(page)
    .replace(/\.md$/, '.html')
    .replace(/(^|\/)index\.html$/, '$1')}`;

const item = (page: string): Item => ({ text: titleOf(page), link: addressOf(page) });

export const sidebar: Item[] = [
  ...Object.entries(groups).map(([text, names]) => ({
    text,
    items: names.map((name) => item(normalize(`docs/${name}.md`))),
  })),
  ...(packages.length > 0 ? [{ text: 'Packages', items: packages.map(item) }] : []),
  { text: 'Decisions', link: '/decisions/', collapsed: true, items: decisions.map(item) },
];
