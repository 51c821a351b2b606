import { z } from 'zod';
import { type Fields, inputNames } from '../../domain/fields/field.js';
import {
  HEADERS_MAX,
  type HeaderChange,
  type HeaderInput,
  headerKey,
  nameProblem,
  valueProblem,
} from '../../domain/fields/headers.js';

type Names = [name: string, set: string, remove: string];

/** The fields of a group with headers, and their names in the input. */
const namesOf = (fields: Fields): Names[] =>
  Object.entries(fields)
    .filter(([, { kind }]) => kind === 'headers')
    .map(([name, field]) => [name, ...(inputNames(name, field) as [string, string])]);

/** The rules of those fields of an input that set and remove headers. */
export const headerRules = (fields: Fields, prefix: string): Record<string, z.ZodType> =>
  Object.fromEntries(
    namesOf(fields).flatMap(([, set, remove]) => [
      [set, setRule(prefix).nullish()],
      [remove, z.array(z.string()).nullish()],
    ]),
  );

/** Makes one value of what an input sets and removes. */
export function withHeaderChanges(fields: Fields, input: object): Record<string, unknown> {
  const values: Record<string, unknown> = { ...input };
  for (const [name, setName, removeName] of namesOf(fields)) {
    const { [setName]: set, [removeName]: remove } = values;
    delete values[setName];
    delete values[removeName];
    if (set != null || remove != null) {
      values[name] = { set: set ?? [], remove: remove ?? [] } as HeaderChange;
    }
  }
  return values;
}

export const tooManyHeaders = {
  message: `must be at most ${HEADERS_MAX} headers, with those that are set already`,
  params: { code: 'headers_too_many' },
};

const setRule = (prefix: string) =>
  z
    .array(z.custom<HeaderInput>())
    .refine(({ length }) => length <= HEADERS_MAX, tooManyHeaders)
    .superRefine((headers, context) => {
      const names = new Set<string>();
      headers.slice(0, HEADERS_MAX).forEach(({ name, value }, index) => {
        const key = headerKey(name);
        const repeated = {
          code: 'header_repeated',
          detail: 'is in the list twice; case and punctuation make no difference',
        };
        const problems = [
          { field: 'name', problem: nameProblem(name, prefix) ?? (names.has(key) ? repeated : null) },
          { field: 'value', problem: valueProblem(value) },
        ];
        names.add(key);
        for (const { field, problem } of problems) {
          if (problem !== null) {
            const { code, detail } = problem;
            context.addIssue({ code: 'custom', path: [index, field], message: detail, params: { code } });
          }
        }
      });
    });
