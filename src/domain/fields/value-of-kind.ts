import type { EventFilter } from '../content/filter.js';
import type { StoredShape } from '../content/shape/project.js';
import type { AuthInput, StoredAuth } from './auth.js';
import type { HeaderChange, StoredHeaders } from './headers.js';
import type { StoredTls, TlsChange } from './tls.js';

/** The values of fields as people write them. Those of a choice are its own words. */
export interface ValueOfKind {
  text: string;
  url: string;
  eventTypes: string[];
  textMap: Readonly<Record<string, string>>;
  number: number;
  delays: number[];
  choice: string;
  boolean: boolean;
  headers: HeaderChange;
  auth: AuthInput;
  tls: TlsChange;
  filter: EventFilter;
  message: string;
  template: object;
  shape: StoredShape;
  path: string;
}

/** The values that are stored in another form. */
export interface StoredOfKind {
  headers: StoredHeaders;
  auth: StoredAuth;
  tls: StoredTls;
}
