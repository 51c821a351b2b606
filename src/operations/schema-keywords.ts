import { _, type Ajv2020, type CodeKeywordDefinition, type KeywordCxt, Name } from 'ajv/dist/2020.js';

/** ajv's own looks names up in an object that inherits, so that `constructor` counts as evaluated in each. */
function ofOwnNames(unevaluatedProperties: CodeKeywordDefinition): CodeKeywordDefinition {
  return {
    ...unevaluatedProperties,
    code(cxt: KeywordCxt) {
      const { props } = cxt.it;
      if (props instanceof Name) {
        cxt.gen.if(_`${props} && ${props} !== true`, () =>
          cxt.gen.code(_`Object.setPrototypeOf(${props}, null)`),
        );
      }
      unevaluatedProperties.code(cxt);
    },
  };
}

/** Replaces keywords whose verdict by ajv is not that of JSON Schema. */
export function replaceKeywords(ajv: Ajv2020): Ajv2020 {
  const unevaluatedProperties = ajv.getKeyword('unevaluatedProperties') as CodeKeywordDefinition;
  for (const definition of [ofOwnNames(unevaluatedProperties)]) {
    ajv.removeKeyword(definition.keyword as string).addKeyword(definition);
  }
  return ajv;
}
