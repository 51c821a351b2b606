import { copyFileSync, existsSync, globSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, normalize } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { addressOf, pages, root } from './pages.ts';

/** Programs fetch these, so they keep their names; other files of the repository are read as text. */
const forPrograms = ['.json', '.tsv', '.graphql'];
/** Files and folders that pages link to. */
const linked = new Set<string>();

const isFolder = (path: string) => statSync(path).isDirectory();

function addressOfFile(file: string): string {
  if (isFolder(join(root, file))) {
    return `/repository/${file}/index.html`;
  }
  return `/repository/${file}${forPrograms.includes(extname(file)) ? '' : '.txt'}`;
}

/** @param file a path in the repository. @throws Error when nothing is there */
function addressFor(file: string, from: string): string {
  const page = [file, join(file, 'README.md')].find((path) => pages.includes(path));
  if (page !== undefined) {
    return addressOf(page);
  }
  if (!existsSync(join(root, file))) {
    throw new Error(`${from} links to ${file}, which is neither a page of the site nor a file of the repository`);
  }
  linked.add(file);
  return addressOfFile(file);
}

/** Pages link to each other, and to files, by their paths in the repository. */
export function repositoryLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const from = normalize(env.realPath ?? env.path).slice(root.length + 1);
    for (const token of tokens.flatMap((token) => [token, ...(token.children ?? [])])) {
      // Pictures in HTML: Vite takes a path without a dot for the name of a package.
      if (token.type.startsWith('html_')) {
        token.content = token.content.replaceAll(/ src="(?![./]|[a-z]+:)/g, ' src="./');
      }
      // Vue would take braces in it for an expression.
      if (token.type === 'code_inline') {
        token.attrSet('v-pre', '');
      }
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null && !/^(#|[a-z]+:)/.test(href)) {
        const [path = '', anchor] = decodeURI(href).split('#');
        const address = addressFor(join(dirname(from), path).replace(/\/$/, ''), from);
        token.attrSet('href', anchor === undefined ? address : `${address}#${anchor}`);
        // Without this the site's own pages are asked for such an address first.
        if (address.startsWith('/repository/')) {
          token.attrSet('target', '_self');
        }
      }
    }
  });
}

/** Puts what pages link to beside the pages: files, and folders as a list of their files. */
export function copyLinked(folder: string): void {
  const write = (file: string) => {
    const copy = join(folder, addressOfFile(file));
    mkdirSync(dirname(copy), { recursive: true });
    if (!isFolder(join(root, file))) {
      copyFileSync(join(root, file), copy);
      return;
    }
    const files = globSync(`${file}/**`, { cwd: root, exclude: (name) => /node_modules|dist/.test(String(name)) })
      .filter((path) => !isFolder(join(root, path)))
      .sort();
    const lines = files.map((path) => `<li><a href="${addressOfFile(path)}">${path}</a>`);
    writeFileSync(copy, `<!doctype html><meta charset="utf-8"><title>${file}</title><ul>${lines.join('\n')}</ul>\n`);
    files.forEach(write);
  };
  linked.forEach(write);
}
