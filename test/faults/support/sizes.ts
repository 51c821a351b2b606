/**
 * Each fault test has a short form, which belongs to the suite, and a long one (`npm run faults`). The sizes of the
 * long one can be set by environment variables; docs/faults.md lists them.
 */
export const isLong = process.env['FAULTS'] === 'long';

/** @param name of the environment variable that overrides the long form's size */
export function size(name: string, short: number, long: number): number {
  const text = process.env[name];
  if (!isLong || text === undefined) {
    return isLong ? long : short;
  }
  if (!/^[1-9]\d*$/.test(text)) {
    throw new Error(`${name} must be a positive whole number, not ${text}`);
  }
  return Number(text);
}

/** Prints the figures of a long run, for docs/faults.md; short runs print them only with FAULTS_FIGURES. */
export function report(test: string, figures: object): void {
  if (isLong || process.env['FAULTS_FIGURES'] !== undefined) {
    process.stdout.write(`${test}: ${JSON.stringify(figures)}\n`);
  }
}
