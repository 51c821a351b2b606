import { type Case, NOTHING_TAKEN, type Result } from './test-case.js';

export type Outcome = Pick<Case, 'id' | 'group' | 'name' | 'remedy'> & Result & { ms: number };

const MARKS = { passed: '✓', failed: '✗', warning: '!', skipped: '–' } as const;

export function asText(url: string, outcomes: readonly Outcome[]): string {
  const shown = outcomes.filter(({ detail }) => detail !== NOTHING_TAKEN.detail);
  const width = Math.max(...shown.map(({ name }) => name.length));
  const lines = [`Testing ${url}`];
  for (const [group, cases] of Map.groupBy(shown, (outcome) => outcome.group)) {
    lines.push('', group);
    for (const { verdict, name, detail, remedy } of cases) {
      lines.push(`  ${MARKS[verdict]} ${name.padEnd(width)}  ${detail}`);
      if (verdict === 'failed' || verdict === 'warning') {
        lines.push(`      → ${remedy}`);
      }
    }
  }
  return `${lines.join('\n')}\n\n${summaryOf(outcomes)}\n`;
}

function summaryOf(outcomes: readonly Outcome[]): string {
  const words = { passed: 'passed', failed: 'failed', warning: 'with a warning', skipped: 'skipped' };
  const counts = Object.entries(words).map(([verdict, word]) => {
    const count = outcomes.filter((outcome) => outcome.verdict === verdict).length;
    return count === 0 && verdict !== 'failed' ? [] : [`${count} ${word}`];
  });
  return counts.flat().join(', ');
}

export function asJson(url: string, scheme: string, outcomes: readonly Outcome[]): string {
  const isPassed = outcomes.every(({ verdict }) => verdict !== 'failed');
  return `${JSON.stringify({ url, scheme, passed: isPassed, cases: outcomes }, null, 2)}\n`;
}

/** A report for CI systems, with the remedy of each failure. */
export function asJunit(url: string, outcomes: readonly Outcome[]): string {
  const counted = (verdict: Outcome['verdict']) => outcomes.filter((outcome) => outcome.verdict === verdict).length;
  const seconds = (ms: number) => (ms / 1_000).toFixed(3);
  const total = outcomes.reduce((sum, { ms }) => sum + ms, 0);
  const cases = outcomes.map(({ id, group, name, verdict, detail, remedy, ms }) => {
    const inside =
      verdict === 'failed'
        ? `<failure message="${escaped(detail)}">${escaped(remedy)}</failure>`
        : verdict === 'skipped'
          ? `<skipped message="${escaped(detail)}"/>`
          : `<system-out>${escaped(verdict === 'warning' ? `${detail}: ${remedy}` : detail)}</system-out>`;
    const named = `name="${escaped(`${group}: ${name}`)}" classname="hookwright.${id}" time="${seconds(ms)}"`;
    return `  <testcase ${named}>${inside}</testcase>\n`;
  });
  const counts = `tests="${outcomes.length}" failures="${counted('failed')}" skipped="${counted('skipped')}"`;
  const suite = `<testsuite name="${escaped(`hookwright test-receiver ${url}`)}" ${counts} time="${seconds(total)}">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${suite}\n${cases.join('')}</testsuite>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
