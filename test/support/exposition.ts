export interface MetricFamily {
  name: string;
  type: string;
  help: string;
  samples: { name: string; labels: Record<string, string>; value: string }[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/g;
const VALUE = /^(?:[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|nan)$/i;

/**
 * Reads Prometheus' text format 0.0.4.
 *
 * @throws Error with the line that is none
 */
export function parseExposition(text: string): Map<string, MetricFamily> {
  const families = new Map<string, MetricFamily>();
  const family = (name: string) => {
    const known = families.get(name) ?? { name, type: '', help: '', samples: [] };
    families.set(name, known);
    return known;
  };
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, kind, described = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      family(described).help = rest;
    } else if (kind === 'TYPE') {
      if (family(described).type !== '') {
        throw new Error(`described twice: ${line}`);
      }
      family(described).type = rest;
    } else {
      const sample = sampleOf(line);
      family(familyOf(sample.name, families)).samples.push(sample);
    }
  }
  return families;
}

function sampleOf(line: string): MetricFamily['samples'][number] {
  const [, name, labelText = '', value = ''] = SAMPLE.exec(line) ?? [];
  if (name === undefined || !VALUE.test(value) || labelText.replaceAll(LABEL, '') !== '') {
    throw new Error(`no line of the text format: ${line}`);
  }
  const labels = Object.fromEntries([...labelText.matchAll(LABEL)].map(([, key, text]) => [key, text]));
  return { name, labels, value };
}

/** Histograms have samples with endings of their own. */
function familyOf(name: string, families: ReadonlyMap<string, MetricFamily>): string {
  const base = name.replace(/_(bucket|sum|count)$/, '');
  return families.get(base)?.type === 'histogram' || families.get(base)?.type === 'summary' ? base : name;
}

/** Units and abbreviations of units that are not the base units of Prometheus. */
const UNITS = new Set(
  (
    'minutes hours days weeks kelvins fahrenheit rankine inches yards miles bits calories pounds ounces ' +
    'percent kilobytes mib s ms us ns sec b kb mb gb tb pb m h d'
  ).split(' '),
);
const PREFIXED_UNIT =
  /^(pico|nano|micro|milli|centi|deci|deca|hecto|kilo|kibi|mega|mibi|giga|gibi|tera|tebi|peta|pebi)(amperes|bytes|bits|celsius|grams|joules|kelvin|meters|metres|seconds|volts)$/;

/** Finds the faults that `promtool check metrics` finds, and units that are no base units. */
export function lintFamily({ name, type, help, samples }: MetricFamily): string[] {
  const complaints: string[] = [];
  const complain = (isWrong: boolean, why: string) => isWrong && complaints.push(`${name}: ${why}`);
  complain(help === '', 'no help text');
  complain(!['counter', 'gauge', 'histogram', 'summary'].includes(type), `type ${type || 'missing'}`);
  complain(type === 'counter' && !name.endsWith('_total'), 'counters should end with _total');
  complain(type !== 'counter' && name.endsWith('_total'), 'only counters should end with _total');
  complain(/_(count|sum|bucket)$/.test(name), 'ends like a part of a histogram');
  complain(/[A-Z:]|__/.test(name), 'no snake_case');
  complain(
    name.split('_').some((word) => UNITS.has(word) || PREFIXED_UNIT.test(word)),
    'not in base units',
  );
  complain(/(?:^|_)(counter|gauge|histogram|summary|untyped)(?:_|$)/.test(name), 'a type stands in the name');
  complain(
    samples.some(
      ({ labels }) => (type !== 'histogram' && 'le' in labels) || (type !== 'summary' && 'quantile' in labels),
    ),
    'a label that only histograms and summaries have',
  );
  const keys = samples.map((sample) => `${sample.name}${JSON.stringify(sample.labels)}`);
  complain(new Set(keys).size !== keys.length, 'one sample stands there twice');
  return complaints;
}
