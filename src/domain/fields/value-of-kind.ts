import type { EventFilter } from '../content/filter.js';
import type { StoredShape } from '../content/shape/project.js';
import type { AuthInput } from './auth.js';
import type { HeaderChange } from './headers.js';

/** The values of fields as people write them, by the kinds that are no texts. */
export interface ValueOfKind {
  eventTypes: string[];
  delays: number[];
  textMap: Readonly<Record<string, string>>;
  number: number;
  headers: HeaderChange;
  auth: AuthInput;
  filter: EventFilter;
  template: object;
  shape: StoredShape;
}
