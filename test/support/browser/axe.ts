import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** Without being asked axe leaves out how large targets are, the one rule of WCAG 2.2 that it can check. */
const OPTIONS = { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } };

/**
 * Looks for what keeps people with disabilities from using the page as it stands now, by the rules of WCAG 2.2 AA and
 * axe's best practices.
 *
 * @param selector of the part that is looked at; default: all of it
 * @returns one text for each rule that is broken: the rule, what it asks, and the elements
 */
export async function axeViolations(page: Page, selector?: string): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) {
    await page.evaluate(`${axe.source}; undefined`); // half a megabyte
  }
  // A bar that stays at the top covers other parts of the page depending on how far it was scrolled.
  await page.evaluate('scrollTo(0, 0)');
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(${JSON.stringify(selector) ?? 'document'}, ${JSON.stringify(OPTIONS)})`,
  );
  return violations.map(({ id, help, nodes }) => {
    const elements = nodes.map(
      ({ target, failureSummary = '' }) =>
        `  ${target.join(' ')}: ${failureSummary.split('\n').slice(1).join(' ').replaceAll(/\s+/g, ' ').trim()}`,
    );
    return [`${id}: ${help}`, ...elements].join('\n');
  });
}
