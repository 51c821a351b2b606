import {
  _,
  type Ajv2020,
  type CodeKeywordDefinition,
  type FuncKeywordDefinition,
  type KeywordCxt,
  Name,
  str,
} from 'ajv/dist/2020.js';
import { isMultipleOf, isSameJson } from '../domain/schema-rules/json-values.js';

/** ajv's own ask an object for its `constructor`, `valueOf` and `toString`, which in a payload may be anything. */
const comparing: FuncKeywordDefinition[] = [
  {
    keyword: 'const',
    errors: false,
    error: { message: ({ schema }) => _`${`must be equal to constant: ${valuesText([schema])}`}` },
    compile: (value: unknown) => isOneOf([value]),
  },
  {
    keyword: 'enum',
    schemaType: 'array',
    errors: false,
    error: {
      message: ({ schema }) => _`${`must be equal to one of the allowed values: ${valuesText(schema)}`}`,
    },
    compile: isOneOf,
  },
];

/** ajv's own divides binary fractions, by which 4.35 is no multiple of 0.01. */
const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  errors: false,
  error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
  compile: (step: number) => (value: number) => isMultipleOf(value, step),
};

const VALUES_SHOWN_MAX = 20;
const VALUE_CHARS_MAX = 50;
const VALUES_CHARS_MAX = 200;

/** As JSON, for a sentence: whoever breaks the rule should see what keeps it, and not the whole of a long list. */
function valuesText(values: readonly unknown[]): string {
  const shown: string[] = [];
  let room = VALUES_CHARS_MAX;
  for (const value of values.slice(0, VALUES_SHOWN_MAX)) {
    const text = shortened(JSON.stringify(value));
    room -= text.length;
    if (room < 0) {
      break;
    }
    shown.push(text);
  }
  const unnamed = values.length - shown.length;
  return `${shown.join(', ') || 'none'}${unnamed > 0 ? ` and ${unnamed} more` : ''}`;
}

function shortened(text: string): string {
  const characters = Array.from(text.slice(0, 2 * VALUE_CHARS_MAX + 1));
  return characters.length > VALUE_CHARS_MAX ? `${characters.slice(0, VALUE_CHARS_MAX).join('')}…` : text;
}

function isOneOf(allowed: readonly unknown[]): (value: unknown) => boolean {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null;
  const scalars = new Set(allowed.filter((one) => !isObject(one)));
  const objects = allowed.filter(isObject);
  return (value) => scalars.has(value) || (isObject(value) && objects.some((one) => isSameJson(one, value)));
}

/** ajv's own looks names up in an object that inherits, so that `constructor` counts as evaluated in each. */
function ofOwnNames(unevaluatedProperties: CodeKeywordDefinition): CodeKeywordDefinition {
  return {
    ...unevaluatedProperties,
    code(cxt: KeywordCxt) {
      const { props } = cxt.it;
      if (props instanceof Name) {
        cxt.gen.if(_`${props} && ${props} !== true`, () => cxt.gen.code(_`Object.setPrototypeOf(${props}, null)`));
      }
      unevaluatedProperties.code(cxt);
    },
  };
}

/** Replaces keywords whose verdict by ajv is not that of JSON Schema. */
export function replaceKeywords(ajv: Ajv2020): Ajv2020 {
  const unevaluatedProperties = ajv.getKeyword('unevaluatedProperties') as CodeKeywordDefinition;
  for (const definition of [...comparing, multipleOf, ofOwnNames(unevaluatedProperties)]) {
    ajv.removeKeyword(definition.keyword as string).addKeyword(definition);
  }
  return ajv;
}
