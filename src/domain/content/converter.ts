/** A step by which a payload of one version of its type becomes one of the version before. */
export type ConverterStep =
  | { readonly op: 'RENAME' | 'MOVE'; readonly path: string; readonly to: string }
  | { readonly op: 'SET'; readonly path: string; readonly value: unknown }
  | { readonly op: 'REMOVE' | 'UNWRAP'; readonly path: string };

/** The steps of a converter, in their order. None: a payload fits the version before as it is. */
export type Converter = readonly ConverterStep[];

/** The operations with their meaning. */
export const CONVERTER_OPS = {
  RENAME: 'The field at `path` gets the name `to`.',
  MOVE: 'The value at `path` moves to the path `to`. Objects that lack on the way are made.',
  REMOVE: 'The field at `path` is removed.',
  SET: 'The field at `path` becomes `value`, in each object that is there to have it.',
  UNWRAP:
    'The value at `path` takes the place of the object that it is in: `data.value` becomes `data`. A path that ends with `[]` names the first element, which takes the place of its list.',
} as const;
export type ConverterOp = keyof typeof CONVERTER_OPS;

export const STEPS_MAX = 50;
/** The longest value that is set, as JSON: it may be set in each element of a list. */
export const VALUE_CHARS_MAX = 1_024;
