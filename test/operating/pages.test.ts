import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';

const messagesPage = readFileSync('docs/troubleshoot.md', 'utf8');
const page = ['docs/install.md', 'docs/operate.md'].map((file) => readFileSync(file, 'utf8')).join('') + messagesPage;
const blocks = [...page.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text.trim());
const queries = blocks.filter((block) => /^(select|with) /.test(block));

const commandLine = readFileSync('src/cli/command-line.ts', 'utf8');

describe('docs/{install,operate,troubleshoot}.md', () => {
  let stack: DeliveryStack;
  beforeAll(async () => {
    stack = await DeliveryStack.open();
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  test('have queries to try', () => {
    expect(queries.length).toBeGreaterThan(5);
  });

  test.each(queries)('%s', async (sql) => {
    await expect(stack.rows(sql)).resolves.toBeInstanceOf(Array);
  });

  test('name commands that exist alone', () => {
    const named = [...page.matchAll(/(?:`|^)\.\/hookwright ([a-z]+)/gm)].map(([, name]) => name!);
    expect(new Set(named).size).toBeGreaterThan(5);
    expect(
      named.filter(
        (name) => !new RegExp(`\\.command\\('${name}\\b|Command\\('${name}'|const ${name} =`).test(commandLine),
      ),
    ).toEqual([]);
  });

  test('name log messages that are written', () => {
    const table = messagesPage.slice(messagesPage.indexOf('| level | message |'));
    const messages = [...table.matchAll(/^\| (?:info|warn|error|fatal) \| (.+?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!),
    );
    expect(messages.length).toBeGreaterThan(15);
    const sources = [...globSync('src/**/*.ts'), ...globSync('daemon/**/*.ts')]
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    // "…" stands for what is said of one case.
    const inSource = (message: string) => (message.endsWith('…') ? `\`${message.slice(0, -1)}\${` : `'${message}'`);
    expect(messages.filter((message) => !sources.includes(inSource(message)))).toEqual([]);
  });
});
