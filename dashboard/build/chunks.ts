import { join } from 'node:path';
import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite';

interface Modules {
  getModuleInfo(id: string): Rolldown.ModuleInfo | null;
}

const ROOT = join(import.meta.dirname, '..');
const PAGES = ['portal/main.tsx', 'console/main.tsx'].map((page) => join(ROOT, page));

/** The screens that people come to first, by what they share. */
const FIRST_SCREENS = {
  overview: screens('overview/overview.tsx', 'endpoints/list/endpoints.tsx', 'installation/installation.tsx'),
  delivery: screens('deliveries/deliveries.tsx'),
  endpoint: screens('endpoints/one/endpoint.tsx'),
};

/** Parts that the first screens show after their first figures. */
const LATER = [
  join(ROOT, 'parts/over-time/charts.tsx'),
  ...screens('overview/below.tsx', 'endpoints/one/below.tsx', 'installation/parts.tsx', 'installation/daemons.tsx'),
];

function screens(...paths: string[]): string[] {
  return paths.map((path) => join(ROOT, 'screens', path));
}

/** What loads all else: the map of the screens, and what Vite and Rolldown add for imports. */
const START = /[\\/]screens[\\/]screens\.ts$|preload-helper|rolldown[\\/]runtime/;
const LIBRARY = /[\\/]node_modules[\\/]/;
/** Menus, windows and what floats: one file, when the first of them is opened. */
const POPUPS = /[\\/]node_modules[\\/]@(base-ui|floating-ui)[\\/]/;

/**
 * A few files instead of one for each set of modules that some screens share: over a slow line a request costs more
 * than some bytes that a screen does not need. The libraries and the frame of the pages are a file each, so that a
 * release changes as little as possible of what browsers keep. A first screen has one file of parts besides: those that
 * it shares with other screens, but not with another kind of first screens.
 */
export const chunks: Rolldown.OutputOptions['codeSplitting'] = {
  groups: [
    { name: 'start', test: START, priority: 6 },
    group('library', 5, (id, modules) => LIBRARY.test(id) && isNeeded(PAGES, id, modules)),
    {
      ...group('frame', 4, (id, modules) => isNeeded(PAGES, id, modules) || kindsWith(id, modules).length > 1),
      minShareCount: 2,
    },
    ...Object.keys(FIRST_SCREENS).map((kind) => ({
      ...group(`${kind}-parts`, 3, (id, modules) => kindsWith(id, modules)[0] === kind),
      minShareCount: 2,
    })),
    { ...group('later-parts', 2, (id, modules) => isNeeded(LATER, id, modules)), minShareCount: 2 },
    { ...group('popups', 1, (id) => POPUPS.test(id)), minShareCount: 2 },
    { ...group('more', 0, (id) => id.startsWith(ROOT) && !id.endsWith('.po')), minShareCount: 3 },
  ],
};

function group(name: string, priority: number, takes: (id: string, modules: Modules) => boolean) {
  return { name: (id: string, modules: Modules) => (takes(id, modules) ? name : null), priority };
}

/** The kinds of first screens that need a module. */
function kindsWith(id: string, modules: Modules): string[] {
  return Object.entries(FIRST_SCREENS).flatMap(([kind, screens]) => (isNeeded(screens, id, modules) ? [kind] : []));
}

const found = new Map<string, Set<string>>();

/** Whether one of these needs a module before it runs. */
function isNeeded(entries: readonly string[], id: string, modules: Modules): boolean {
  return entries.some((entry) => {
    const needed = found.get(entry) ?? importsOf(entry, modules);
    found.set(entry, needed);
    return needed.has(id);
  });
}

/** A module, and all that it imports before it runs. */
function importsOf(id: string, modules: Modules, ids = new Set<string>()): Set<string> {
  if (!ids.has(id)) {
    ids.add(id);
    for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) {
      importsOf(imported, modules, ids);
    }
  }
  return ids;
}

/** Names the files of its page in each HTML file, so that the browser asks for all of them at once. */
export function preloadPages(): Plugin {
  return {
    name: 'preload-pages',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {}, filename }) {
        const main = filename.replace(/\.html$/, '/main.tsx');
        const files = new Set<string>();
        const visit = (file: string) => {
          const chunk = bundle[file];
          if (chunk?.type === 'chunk' && !files.has(file)) {
            files.add(file);
            chunk.imports.forEach(visit);
          }
        };
        const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk') as Rolldown.OutputChunk[];
        visit(chunks.find(({ facadeModuleId }) => facadeModuleId === main)?.fileName ?? '');
        return [...files]
          .filter((file) => !html.includes(file))
          .map(
            (file): HtmlTagDescriptor => ({
              tag: 'link',
              attrs: { rel: 'modulepreload', crossorigin: true, href: `/dashboard/${file}` },
              injectTo: 'head',
            }),
          );
      },
    },
  };
}
