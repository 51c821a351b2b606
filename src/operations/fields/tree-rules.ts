import { z } from 'zod';
import { FILTER_CHARS_MAX } from '../../domain/content/filter.js';
import { TEMPLATE_BYTES_MAX } from '../../domain/content/formats.js';
import { readFilter } from '../../domain/content/read-filter.js';
import { templateProblems } from '../../domain/content/template.js';
import { isLonger } from '../../domain/text/json-length.js';
import { addProblems, type Problem } from './kind-rules.js';

/** Rules for trees of JSON. One that is too large is refused for that alone: finding its other faults may take long. */

export const filter = () =>
  z.unknown().transform((written, context) => {
    const read = isLonger(written, FILTER_CHARS_MAX)
      ? { problems: [tooLarge('filter', FILTER_CHARS_MAX, 'characters')] }
      : readFilter(written);
    if ('filter' in read) {
      return read.filter;
    }
    addProblems(context, read.problems);
    return z.NEVER;
  });

/** Objects of literals in GraphQL have no prototype; what is stored has one. */
export const template = () =>
  z.unknown().transform((written, context) => {
    const problems = isLonger(written, TEMPLATE_BYTES_MAX)
      ? [tooLarge('template', TEMPLATE_BYTES_MAX, 'bytes')]
      : templateProblems(written);
    addProblems(context, problems);
    return problems.length === 0 ? JSON.parse(JSON.stringify(written)) : z.NEVER;
  });

const tooLarge = (name: string, max: number, unit: string): Problem => ({
  code: `${name}_too_large`,
  detail: `must have at most ${max} ${unit} as JSON`,
});
