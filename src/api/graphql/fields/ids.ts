import { isExternalId } from '../../../domain/ids/external-id.js';
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
    throw notFound(nounOf(type), ANOTHER_ID);
  }
  return id;
}

/** In place of an id that is not one of ours: "There is no webhook with such an id." */
export const ANOTHER_ID = 'with such an id';

/**
 * Reads the arguments of a query for one object, of which a request has one.
 *
 * @throws ApiError as idOf; not_found for a text that cannot be an external id; invalid_input for both or none
 */
export function oneIdOf(
  type: NumberedType,
  id: string | null | undefined,
  externalId: string | null | undefined,
): { id: number; externalId?: never } | { id?: never; externalId: string } {
  if ((id == null) === (externalId == null)) {
    throw invalidInput([
      { path: ['id'], code: 'id_or_external_id', detail: 'or externalId must be given, and not both' },
    ]);
  }
  if (id != null) {
    return { id: idOf(type, id, ['id']) };
  }
  if (!isExternalId(externalId!)) {
    throw notFound(nounOf(type), ANOTHER_ID);
  }
  return { externalId: externalId! };
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
