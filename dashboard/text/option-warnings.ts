import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

/** A possible mistake in an option of an endpoint, as the service reports it. */
export interface ShownWarning {
  code: string;
  /** In English. */
  message: string;
  path: string;
  eventType?: string | null | undefined;
  types?: readonly string[] | null | undefined;
}

const TYPES: Readonly<Record<string, MessageDescriptor>> = {
  string: msg`a text`,
  number: msg`a number`,
  boolean: msg`a boolean`,
  object: msg`an object`,
  array: msg`a list`,
};

/** A warning in the reader's language. One of a later version is in English. */
export function warningText({ code, message, path, eventType: type, types }: ShownWarning, i18n: I18n): string {
  const kinds = kindsOf(types, i18n);
  const eventType = type ?? '';
  switch (code) {
    case 'path_not_in_schema':
      return i18n._(msg`No subscribed type has ${path} in its schema.`);
    case 'value_type_not_in_schema':
      return i18n._(msg`By its schema ${path} is ${kinds}. The condition never matches it.`);
    case 'key_type_not_in_schema':
      return i18n._(msg`By its schema ${path} is ${kinds}, which is not a key.`);
    case 'shape_field_not_in_schema':
      return i18n._(msg`The shape asks for ${path}, which ${eventType} no longer has.`);
    case 'converter_missing':
      return i18n._(msg`${eventType} is sent in a newer version than that of the release: a converter is missing.`);
    case 'elements_may_differ':
      return i18n._(msg`Different elements of ${path} may meet these conditions.`);
    case 'placeholder_in_header':
      return i18n._(msg`The value of ${path} has a placeholder in braces. It is sent as it stands.`);
    case 'signature_header_replaced':
      return i18n._(msg`The header ${path} that is set here is sent instead of the one of the former system.`);
    case 'certificate_ending':
      return path === 'tls.ca'
        ? i18n._(msg`The last certificate of the authorities ends within 14 days. Replace it.`)
        : i18n._(msg`The client certificate ends within 14 days. Replace it.`);
    case 'certificate_ended':
      return path === 'tls.ca'
        ? i18n._(msg`The certificates of the authorities have ended. Replace them.`)
        : i18n._(msg`The client certificate has ended. Replace it.`);
    default:
      return message;
  }
}

/** The fault of a path in an option by a schema that is not saved yet. */
export function brokenPathText({ code, message, path, types }: ShownWarning, i18n: I18n): string {
  const kinds = kindsOf(types, i18n);
  switch (code) {
    case 'path_not_in_schema':
    case 'shape_field_not_in_schema':
      return i18n._(msg`The new schema does not have ${path}.`);
    case 'value_type_not_in_schema':
      return i18n._(msg`In the new schema ${path} is ${kinds}. The condition never matches it.`);
    case 'key_type_not_in_schema':
      return i18n._(msg`In the new schema ${path} is ${kinds}, which is not a key.`);
    default:
      return message;
  }
}

/** Types in words: `a text or a list`. */
function kindsOf(types: ShownWarning['types'], i18n: I18n): string {
  const names = (types ?? []).map((type) => (TYPES[type] ? i18n._(TYPES[type]) : type));
  return new Intl.ListFormat(i18n.locale, { type: 'disjunction' }).format(names);
}
