import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const LIBRARY = join(import.meta.dirname, '../../node_modules/lucide-react/dist/esm/lucide-react.mjs');
const IMPORT = /import \{([^}]*)\} from 'lucide-react';/g;
const EXPORT = /export \{([^}]*)\} from '\.\/icons\/([\w-]+)\.mjs'/g;

/**
 * Imports each icon from its own file. The library's one file has all of them: by what it imports, each page would need
 * the icons of every screen (chunks.ts).
 */
export function singleIcons(): Plugin {
  const files = new Map<string, string>();
  return {
    name: 'single-icons',
    enforce: 'pre',
    buildStart() {
      const library = readFileSync(LIBRARY, 'utf8');
      for (const [, names = '', file = ''] of library.matchAll(EXPORT)) {
        for (const name of names.split(',')) {
          files.set(name.replace('default as', '').trim(), file);
        }
      }
    },
    transform: {
      filter: { id: { include: /\.tsx?$/ }, code: "from 'lucide-react'" },
      handler: (code) => ({
        code: code.replace(IMPORT, (all, names: string) => {
          const imports = names
            .split(',')
            .map((name) => name.trim())
            .filter((name) => name !== '' && !name.startsWith('type '));
          return (
            imports.map((name) => `import ${name} from 'lucide-react/icons/${files.get(name)}';`).join('') +
            '\n'.repeat(all.split('\n').length - 1)
          );
        }),
        map: null,
      }),
    },
  };
}
