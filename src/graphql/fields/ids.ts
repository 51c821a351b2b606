import { parseId } from '../../domain/id.js';
import { invalidInput, notFound, type Path } from '../../errors.js';

/** The id that a caller names something by. @throws ApiError not_found for a text that is not an id: nothing has it */
export function idOf(noun: string, text: string): number {
  const id = parseId(text);
  if (id === null) {
    throw notFound(noun, 'with such an id');
  }
  return id;
}

/** What was looked for by its id. @throws ApiError not_found when nothing was found */
export function found<Thing>(thing: Thing | null, noun: string, id: number): Thing {
  if (thing === null) {
    throw notFound(noun, id);
  }
  return thing;
}

/** The id that a caller looks for other things by. @throws ApiError invalid_input for a text that is not an id */
export function idIn(text: string, path: Path, noun: string): number {
  const id = parseId(text);
  if (id === null) {
    throw invalidInput([{ path, code: 'invalid_id', detail: `is not the id of ${noun}` }]);
  }
  return id;
}
