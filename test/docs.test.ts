import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { graphqlReference } from '../scripts/graphql-reference.js';
import { SEND_ERRORS } from '../src/domain/deliveries/outcome.js';

const root = dirname(import.meta.dirname);
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const patterns = ['*.md', 'docs/**/*.md', 'examples/**/*.md', 'packages/*/README.md'];
const pages = patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).sort();
const withoutCode = (text: string) => text.replaceAll(/^( *)```.*\n[\s\S]*?^ *```$/gm, '');

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const headings = [...withoutCode(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text);
  return headings.map((text) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the pages', () => {
  test('link to files and headings that exist', () => {
    const broken = pages.flatMap((page) => {
      const links = [...withoutCode(read(page)).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
      return links
        .filter(([, path = '', anchor]) => {
          const target = path === '' ? page : normalize(join(dirname(page), path));
          return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
        })
        .map(([link]) => `${page}: ${link}`);
    });
    expect(broken).toEqual([]);
  });

  test('name files and folders that exist', () => {
    const folders = 'src|daemon|migrations|dashboard|bench|test|scripts|docs|ops';
    const named = pages.flatMap((page) =>
      [...withoutCode(read(page)).matchAll(new RegExp(`\`((?:${folders})/[\\w./-]*)\``, 'g'))].map(([, path = '']) => ({
        page,
        path,
      })),
    );
    expect(named.length).toBeGreaterThan(150);
    expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('name commands that a reader has: of the checkout, or what a release brings', () => {
    const verbs = 'start|api|daemon|migrate|doctor|tenant|keys?|outbox|trigger|types|import|test-receiver';
    const bare = new RegExp(`(^ *|\`)hookwright (${verbs})\\b.*`, 'gm');
    const released = /\bnpx hookwright\b|npm install [^`\n]*(?<!packages\/)(@hookwright\/|\bhookwright\b(?!\/))/;
    const asTheyWere = /^(CHANGELOG|docs\/decisions\/.*|docs\/graphql-reference)\.md$/;
    const told = pages
      .filter((page) => !asTheyWere.test(page))
      .flatMap((page) => {
        const paragraphs = read(page).split(/\n\s*\n/);
        const early = paragraphs.filter((text) => released.test(text) && !/\breleased?\b/.test(text));
        return [...(read(page).match(bare) ?? []), ...early].map((text) => `${page}: ${text}`);
      });
    expect(told).toEqual([]);
  });

  test('docs/graphql-examples.md has every reason why no answer came, with its meaning', () => {
    const table = Object.entries(SEND_ERRORS).map(([code, meaning]) => `| \`${code}\` | ${meaning} |\n`);
    expect(read('docs/graphql-examples.md')).toContain(table.join(''));
  });

  test('docs/troubleshoot.md explains lines that the log can have', () => {
    const code = globSync('{src,daemon}/**/*.ts', { cwd: root }).map(read).join('');
    const rows = [...read('docs/troubleshoot.md').matchAll(/^\| (?:info|warn|error|fatal) \| (.*?) \| /gm)];
    const lines = rows.flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`…]+)[^`]*`/g)].map(([, line = '']) => line.trim()),
    );
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.filter((line) => !code.includes(line))).toEqual([]);
  });

  test('docs/graphql-reference.md is what schema.graphql says: npm run schema writes it', () => {
    expect(read('docs/graphql-reference.md')).toBe(graphqlReference(read('schema.graphql')));
  });
});

/** The prose of a page, each paragraph and each item of a list as one line: no code, tables or headings. */
function paragraphsOf(page: string): string[] {
  const prose = withoutCode(read(page))
    .replaceAll(/^(\s*\||#|<|!\[).*$/gm, '')
    .replaceAll(/^ *(-|\d+\.) /gm, '\n\n')
    .replaceAll(/`[^`]*`/g, 'Code')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');
  return prose.split(/\n\s*\n/).map((paragraph) => paragraph.replaceAll(/\s+/g, ' ').trim());
}

describe('the prose of the pages', () => {
  const written = pages.filter((page) => page !== 'docs/graphql-reference.md');
  const paragraphs = written.flatMap((page) => paragraphsOf(page).map((text) => ({ page, text })));

  test('has no sentence of more than 40 words', () => {
    const long = paragraphs.flatMap(({ page, text }) =>
      text
        .split(/(?<=[.!?:]["')*_]*) (?=["'(*_]*[A-Z0-9])/)
        .filter((sentence) => sentence.split(' ').length > 40)
        .map((sentence) => `${page}: ${sentence}`),
    );
    expect(long).toEqual([]);
  });

  test('has none of the words that make a reader stumble', () => {
    const refused = /.*\b(told|tells|anew|whoever|lest|in times of|for who|of who|be it|nor is)\b.*/gi;
    const texts = written.filter((page) => page !== 'CONTRIBUTING.md').map((page) => [page, withoutCode(read(page))]);
    expect(texts.flatMap(([page, text]) => (text?.match(refused) ?? []).map((line) => `${page}: ${line}`))).toEqual([]);
  });

  test('has lines of at most 120 columns, but for tables and code', () => {
    const long = written.flatMap((page) =>
      withoutCode(read(page))
        .split('\n')
        .filter((line) => line.length > 120 && !/^(\||!\[|\d+\. \[[^\]]*\]\([^)]*\)$)/.test(line))
        .map((line) => `${page}: ${line}`),
    );
    expect(long).toEqual([]);
  });
});

describe('CONTRIBUTING.md', () => {
  const page = read('CONTRIBUTING.md');

  test('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...page.matchAll(/`npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

describe('docs/decisions', () => {
  const decisions = pages.filter((page) => /^docs\/decisions\/\d/.test(page));

  test.each(decisions)('%s has its number in its title, one screen, and the four sections in their order', (page) => {
    const text = read(page);
    const headings = [...withoutCode(text).matchAll(/^##? (.+)$/gm)].map(([, heading = '']) => heading);
    expect(headings[0]).toMatch(new RegExp(`^${Number(page.slice(15, 19))}\\. `));
    expect(headings.slice(1)).toEqual(['Question', 'Decision', 'Why', 'Consequences']);
    expect(text.split('\n').length).toBeLessThanOrEqual(41);
  });

  test('stand in the index, each with its title', () => {
    const lines = decisions.map((page) => {
      const [, number, title] = /^# (\d+)\. (.+)$/m.exec(read(page)) ?? [];
      return `${number}. [${title}](${page.slice(15)})`;
    });
    expect(read('docs/decisions/README.md')).toContain(lines.join('\n'));
  });
});
