import { z } from 'zod';
import { inputNames } from '../../domain/fields/field-table.js';
import {
  HEADERS_MAX,
  type HeaderChange,
  type HeaderInput,
  headerKey,
  nameProblem,
  valueProblem,
} from '../../domain/fields/headers.js';

const namesOf = (name: string) => inputNames(name, { kind: 'headers' }) as [set: string, remove: string];

/** The rules of the inputs that set and remove headers. */
export function headerRules(name: string, prefix: string): Record<string, z.ZodType> {
  const [set, remove] = namesOf(name);
  return { [set]: setRule(prefix).nullish(), [remove]: z.array(z.string()).nullish() };
}

/** Makes one value of them. */
export function joinedHeaders(name: string, inputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const [setName, removeName] = namesOf(name);
  const { [setName]: set, [removeName]: remove, ...others } = inputs;
  return set == null && remove == null
    ? others
    : { ...others, [name]: { set: set ?? [], remove: remove ?? [] } as HeaderChange };
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
