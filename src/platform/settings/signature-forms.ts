import { z } from 'zod';
import { hasNameTwice } from '../../domain/events/payload.js';
import { formHeaderProblem } from '../../domain/fields/form-headers.js';
import { headerKey, valueProblem } from '../../domain/fields/headers.js';
import { FORM_PRESETS } from '../../domain/signing/form-presets.js';
import { secretKeys } from '../../domain/signing/secret.js';
import {
  digestOfForm,
  FORM_ALGORITHMS,
  FORM_ENCODINGS,
  FORM_KEYS,
  headersOfForm,
  type PlannedForm,
  planForm,
  type SignatureForm,
  signAs,
  templateProblem,
} from '../../domain/signing/signature-form.js';
import { readSecretFile } from './secret-files.js';
import { Setting } from './setting.js';

/** A form that this process signs in. */
interface KnownForm {
  planned: PlannedForm;
  /** Processes with the same form have the same text. */
  digest: string;
}

const NAME = /^[a-z][a-z0-9_-]{0,39}$/;
const FORMS_MAX = 100;
const ALSO_MAX = 10;
const TEXT_CHARS_MAX = 200;

const oneOf = <Word extends string>(words: readonly [Word, ...Word[]]) =>
  z.enum(words, `is not one of ${words.join(', ')}`);
const text = z
  .string('is not a text')
  .max(TEXT_CHARS_MAX, `has more than ${TEXT_CHARS_MAX} characters`)
  .regex(/^[\x20-\x7e]*$/, 'has other characters than visible ASCII and blanks');

const template = (kind: Parameters<typeof templateProblem>[0]) =>
  text.superRefine((written, context) => {
    const problem = templateProblem(kind, written);
    if (problem !== null) {
      context.addIssue({ code: 'custom', message: problem });
    }
  });

const formSchema: z.ZodType<SignatureForm> = z.strictObject(
  {
    header: text,
    content: template('content'),
    prefix: template('prefix').default(''),
    value: template('value').default('{signature}'),
    join: text.nullable().default(null),
    algorithm: oneOf(FORM_ALGORITHMS).default('sha256'),
    encoding: oneOf(FORM_ENCODINGS).default('hex'),
    key: oneOf(FORM_KEYS).default('text'),
    also: z
      .record(z.string(), template('also'), 'is not an object of texts')
      .refine((also) => Object.keys(also).length <= ALSO_MAX, `has more than ${ALSO_MAX} headers`)
      .default({}),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has ${JSON.stringify(issue.keys[0])}, which no form has`
        : 'is not an object',
  },
);

type Forms = Readonly<Record<string, SignatureForm>>;

/** Reads the forms in a file. A fault continues "SIGNATURE_FORMS is …, and". */
function readForms(file: string): { forms: Forms } | { fault: string } {
  const read = readSecretFile(file);
  if ('fault' in read) {
    return { fault: `the file ${read.fault}` };
  }
  let written: unknown;
  try {
    written = JSON.parse(read.text);
  } catch {
    return { fault: 'the file is not JSON' };
  }
  if (typeof written !== 'object' || written === null || Array.isArray(written)) {
    return { fault: 'the file is not an object of forms by their names' };
  }
  if (hasNameTwice(read.text, written)) {
    return { fault: 'the file has a name twice in an object' };
  }
  const all = Object.entries(written);
  if (all.length > FORMS_MAX) {
    return { fault: `the file has more than ${FORMS_MAX} forms` };
  }
  const judged = all.map(([name, form]) => ({ name, ...judge(name, form) }));
  const fault = judged.find((one) => one.fault !== null)?.fault;
  return fault === undefined
    ? { forms: Object.fromEntries(judged.map(({ name, form }) => [name, form!])) }
    : { fault: fault! };
}

function judge(name: string, written: unknown): { form: SignatureForm | null; fault: string | null } {
  const wrong = (what: string) => ({ form: null, fault: `the form ${JSON.stringify(name)} ${what}` });
  if (!NAME.test(name)) {
    return wrong('has no name of 1 to 40 lower-case letters, digits, "-" and "_" with a letter first');
  }
  if (Object.hasOwn(FORM_PRESETS, name)) {
    return wrong('has the name of a built-in form; choose another');
  }
  const { data, error } = formSchema.safeParse(written);
  if (error !== undefined) {
    const [{ path, message }] = error.issues as [z.core.$ZodIssue];
    const isMissing = path.length === 1 && !Object.hasOwn(written as object, path[0] as string);
    return wrong(isMissing ? `lacks ${String(path[0])}` : [path.join('.'), message].filter(Boolean).join(' '));
  }
  if (Object.hasOwn((written as Partial<SignatureForm>).also ?? {}, '__proto__')) {
    return wrong('also has "__proto__", which is not the name of a header'); // the schema leaves it out
  }
  const problem = sampleProblem(data);
  return problem === null ? { form: data, fault: null } : wrong(problem);
}

/** Signs a sample with two secrets, which gives the longest values. */
function sampleProblem(form: SignatureForm): string | null {
  const planned = planForm(form);
  const names = headersOfForm(planned);
  if (new Set(names.map(headerKey)).size < names.length) {
    return 'has one header twice; case and punctuation make no difference';
  }
  const keys = secretKeys(`whsec_${'A'.repeat(44)}`);
  const sample = { id: '9'.repeat(16), type: 'a.b', timestampSeconds: 0, body: Buffer.alloc(0) };
  const wrong = Object.entries(signAs(planned, { current: keys, previous: keys }, sample)).find(
    ([, value]) => valueProblem(value) !== null,
  );
  return wrong === undefined ? null : `makes a value of ${wrong[0]} that begins or ends with a blank, or is empty`;
}

/** A path; its value is the forms in that file. */
export const signatureForms = new Setting(
  'SIGNATURE_FORMS',
  z
    .string()
    .transform((file, context): Forms => {
      const read = readForms(file);
      if ('forms' in read) {
        return read.forms;
      }
      context.addIssue({ code: 'custom', message: read.fault });
      return z.NEVER;
    })
    .optional(),
  'the path of a JSON file of signature forms, as docs/signatures.md describes them',
  (file) => {
    const read = readForms(file);
    return 'fault' in read ? read.fault : null;
  },
);

/** Sentences about headers of forms that meet others. @param prefix `HEADER_PREFIX` */
export const formContradictions = (forms: Forms | undefined, prefix: string): string[] =>
  Object.entries(forms ?? {}).flatMap(([name, form]) =>
    headersOfForm(planForm(form)).flatMap((header) => {
      const problem = formHeaderProblem(header, prefix);
      return problem === null
        ? []
        : [`SIGNATURE_FORMS has the form ${name}, whose header ${header} ${problem}: choose another name.`];
    }),
  );

/** The forms of this process by their names. A built-in one whose headers are the service's own here is left out. */
export function knownForms(own: Forms | undefined, prefix: string): ReadonlyMap<string, KnownForm> {
  const all = Object.entries({ ...FORM_PRESETS, ...own }).map(([name, form]): [string, KnownForm] => [
    name,
    { planned: planForm(form), digest: digestOfForm(form) },
  ]);
  const isFree = (header: string) => formHeaderProblem(header, prefix) === null;
  return new Map(all.filter(([, { planned }]) => headersOfForm(planned).every(isFree)));
}
