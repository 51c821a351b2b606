import { aNounOf, globalId, type NodeType, type NumberedType, nounOf, readId } from '../../../domain/ids/global-id.js';
import { invalidInput, notFound, type Path } from '../../../errors.js';

/**
 * Reads an id in either form, `wh_12` or `12`.
 *
 * @throws ApiError not_found for a text that is not an id; invalid_input for the id of another type
 */
export function idOf(type: NumberedType, text: string, path: Path): number {
  const id = idOrNull(type, text, path);
  if (id === null) {
    throw notFound(nounOf(type), 'with such an id');
  }
  return id;
}

/** Reads an id in a filter. @throws ApiError invalid_input for a text that is not an id of this type */
export function idIn(type: NumberedType, text: string, path: Path): number {
  const id = idOrNull(type, text, path);
  if (id === null) {
    throw invalidInput([{ path, code: 'invalid_id', detail: `is not the id of ${aNounOf(type)}` }]);
  }
  return id;
}

/** Null for a text that is not an id. @throws ApiError invalid_input for the id of another type */
export function idOrNull(type: NumberedType, text: string, path: Path): number | null {
  const read = readId(type, text);
  if (typeof read === 'string') {
    throw otherType(path, read, `the id of ${aNounOf(type)} is needed, such as ${globalId(type, 12)} or 12`);
  }
  return read;
}

/** The error for an id of the wrong type. @param needed a clause that says which one is needed */
export const otherType = (path: Path, type: NodeType, needed: string) =>
  invalidInput([{ path, code: 'id_of_another_type', detail: `is the id of ${aNounOf(type)}; ${needed}` }]);
