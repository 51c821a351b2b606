import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { copyLinked, repositoryLinks } from './links.ts';
import { pages, placeOf, root, sidebar } from './pages.ts';
import { withPolicy } from './policy.ts';

const icon = readFileSync(join(root, 'dashboard/icon.svg')).toString('base64');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** As GitHub makes anchors, so that links hold in both places. */
const slugify = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

export default defineConfig({
  title: 'Hookwright',
  description: 'A multi-tenant webhook subscription and delivery service on Postgres alone',
  srcDir: '..',
  srcExclude: globSync('**/*.md', { cwd: root, exclude: (name) => name === 'node_modules' }).filter(
    (page) => !pages.includes(page),
  ),
  outDir: 'dist',
  cacheDir: 'node_modules/.cache',
  rewrites: Object.fromEntries(pages.map((page) => [page, placeOf(page)])),
  ignoreDeadLinks: 'localhostLinks',
  metaChunk: true,
  head: [['link', { rel: 'icon', href: `data:image/svg+xml;base64,${icon}` }]],
  markdown: { anchor: { slugify }, config: repositoryLinks },
  themeConfig: {
    sidebar,
    nav: [{ text: `Version ${version}`, link: '/changelog.html' }],
    search: { provider: 'local' },
    outline: [2, 3],
  },
  vite: {
    plugins: [
      {
        // Pages outside this folder do not find its packages. What renders them runs in the folder, and does.
        name: 'vue-for-rendering',
        enforce: 'pre',
        resolveId: (id, _importer, { ssr }) => (ssr && /^vue(\/|$)/.test(id) ? { id, external: true } : null),
      },
    ],
    build: { chunkSizeWarningLimit: 2_000 },
  },
  transformHtml: withPolicy,
  buildEnd: ({ outDir }) => copyLinked(outDir),
});
