import { samplePayload } from '../../../domain/schema-rules/sample-payload.js';
import { canonicalJson } from '../../../domain/text/canonical-json.js';
import { compileEventSchema, type PayloadCheck } from '../../../platform/payload-checks/payload-check.js';
import { apart, type WrittenType } from './files.js';
import type { RegisteredType } from './registry.js';

/** The change that a push makes to one event type. */
export interface Step {
  name: string;
  kind: 'new' | 'changed' | 'unchanged' | 'deprecated';
  /** Sentences and lines of the difference, for people. */
  lines: readonly string[];
  /** The fields to send. */
  change: Partial<Pick<WrittenType, 'description' | 'schema' | 'converter'>>;
}

/** Compares the event types of files with those of the service. */
export function compareTypes(written: readonly WrittenType[], registered: readonly RegisteredType[]): Step[] {
  const known = new Map(registered.map((type) => [type.name, type]));
  return written.map((type) => compareType(type, known.get(type.name)));
}

function compareType(type: WrittenType, known: RegisteredType | undefined): Step {
  const { name, description, schema } = type;
  if (known === undefined) {
    return { name, kind: 'new', lines: [], change: { description, schema } };
  }
  const before = apart(known.schema).schema;
  const hasOtherSchema = canonicalJson(before) !== canonicalJson(schema);
  const hasOtherDescription = known.description !== description;
  const converter = newConverter(type, known, hasOtherSchema);
  if (!hasOtherSchema && !hasOtherDescription && converter === undefined) {
    return { name, kind: 'unchanged', lines: [], change: {} };
  }
  if (known.deprecatedAt !== null) {
    return {
      name,
      kind: 'deprecated',
      lines: ['It differs, and is left: the service refuses its events.'],
      change: {},
    };
  }
  const lines = [
    ...(hasOtherDescription ? [`- description: ${known.description}`, `+ description: ${description}`] : []),
    ...(hasOtherSchema ? [...differences(before, schema), ...judgements(before, schema, known.version)] : []),
    ...(converter === undefined ? [] : [converterLine(converter, known.version + (hasOtherSchema ? 1 : 0))]),
  ];
  const change = {
    ...(hasOtherDescription ? { description } : {}),
    ...(hasOtherSchema ? { schema } : {}),
    ...(converter === undefined ? {} : { converter }),
  };
  return { name, kind: 'changed', lines, change };
}

/** The converter of the file, unless the current version has it: then it is that of an earlier push. */
function newConverter(
  { converter }: WrittenType,
  { converter: present = null, version }: RegisteredType,
  hasOtherSchema: boolean,
): WrittenType['converter'] {
  const isPresent = converter !== undefined && canonicalJson(converter) === canonicalJson(present);
  const isWanted = hasOtherSchema || (present === null && version > 1);
  return isPresent || !isWanted ? undefined : converter;
}

const converterLine = (converter: object[] | readonly object[], version: number) =>
  `+ converter from version ${version} to ${version - 1}: ${converter.length} ${converter.length === 1 ? 'step' : 'steps'}`;

/** A line for each rule that one of two schemas has alone. */
function differences(before: object, after: object): string[] {
  const [old, wanted] = [rulesOf(before), rulesOf(after)];
  const [inOld, inWanted] = [new Set(old), new Set(wanted)];
  const lines = [
    ...old.filter((rule) => !inWanted.has(rule)).map((rule) => ({ rule, sign: '-' })),
    ...wanted.filter((rule) => !inOld.has(rule)).map((rule) => ({ rule, sign: '+' })),
  ];
  lines.sort((a, b) => (a.rule === b.rule ? 0 : a.rule < b.rule ? -1 : 1));
  return lines.length === 0 ? ['~ the order of values'] : lines.map(({ rule, sign }) => `${sign} ${rule}`);
}

/** Each value within a schema with its path; the values of a list such as `required` have one path. */
function rulesOf(value: unknown, path: readonly string[] = []): string[] {
  const isObject = typeof value === 'object' && value !== null;
  if (!isObject || Object.keys(value).length === 0) {
    return [`${path.join('.')}: ${JSON.stringify(value)}`];
  }
  return Object.entries(value).flatMap(([name, part]) => {
    const isListed = Array.isArray(value) && (typeof part !== 'object' || part === null);
    return rulesOf(part, isListed ? path : [...path, name]);
  });
}

/**
 * Says whether samples of either form pass the other one's check. A sample proves that a change breaks something, and
 * never that it breaks nothing.
 */
function judgements(before: object, after: object, version: number): string[] {
  const checks = [before, after].map((schema) => compileEventSchema(JSON.stringify(schema))) as [
    PayloadCheck,
    PayloadCheck,
  ];
  const samples = [samplePayload({ ...before }, checks[0]), samplePayload({ ...after }, checks[1])] as const;
  const old = brokenRule(checks[1], samples[0]);
  const latest = brokenRule(checks[0], samples[1]);
  const lines = [
    ...(old === null ? [] : [`! Not compatible: events in the form of version ${version} will be refused: ${old}`]),
    ...(latest === null
      ? []
      : [`! Not compatible: receivers that check by version ${version} refuse the new form: ${latest}`]),
  ];
  return lines.length > 0
    ? lines
    : [`The samples of both forms pass both schemas (version ${version}, and the new one).`];
}

function brokenRule(check: PayloadCheck, sample: unknown): string | null {
  if (sample === null || check(sample)) {
    return null;
  }
  const [error] = check.brokenRules(sample);
  return error === undefined ? 'it is too large' : `payload${error.instancePath.replaceAll('/', '.')} ${error.message}`;
}
