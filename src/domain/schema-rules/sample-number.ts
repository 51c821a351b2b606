/**
 * A number that a schema allows.
 *
 * @param step between numbers, where the schema has none
 * @param index in a list, whose numbers differ as long as there are any
 */
export function sampleNumber(schema: Readonly<Record<string, unknown>>, step: number, index: number): number {
  const multipleOf = Number(schema['multipleOf'] ?? step);
  const by = step === 1 && Number.isInteger(decimal(1 / multipleOf)) ? 1 : multipleOf;
  const bound = (keyword: string, otherwise: number) => Number(schema[keyword] ?? otherwise);
  const least = Math.max(bound('minimum', -Infinity), decimal(bound('exclusiveMinimum', -Infinity) + by));
  const most = Math.min(bound('maximum', Infinity), decimal(bound('exclusiveMaximum', Infinity) - by));
  const times = decimal(Math.min(Math.max(1, least), most) / by);
  const up = decimal(Math.ceil(times) * by);
  const first = up > most ? Math.floor(times) : Math.ceil(times);
  return decimal(nthBetween(least / by, most / by, first, index) * by);
}

/** Integers from `first` upwards, then those below it, each another one as long as there are any. */
function nthBetween(least: number, most: number, first: number, index: number): number {
  const [bottom, top] = [Math.ceil(decimal(least)), Math.floor(decimal(most))];
  const above = first + index;
  const below = first - (above - top);
  return above <= top ? above : below >= bottom ? below : first;
}

/** Without what binary fractions add to it: 29 times 0.01 is 0.29. */
function decimal(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}
