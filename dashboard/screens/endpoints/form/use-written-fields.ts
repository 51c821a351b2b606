import { useAllowed, useViewer, useWritable } from '../../../parts/viewer';
import { type EndpointValues, type FieldName, fieldNamed } from './endpoint-values';

/**
 * Whether the page's caller may write a field of an endpoint. An id is set once, by programs of the tenant: people of the
 * operator may change it, and nobody in the portal.
 *
 * @param stored the values of the endpoint; undefined: it is new
 */
export function useWrittenFields(stored?: Partial<Record<FieldName, unknown>>): (name: FieldName) => boolean {
  const isWritable = useWritable();
  const isOfPortal = useViewer().portalSession != null;
  const isOperator = useAllowed('platform:read');
  return (name) => {
    const { part, identifies } = fieldNamed(name);
    return isWritable(part) && (!identifies || isOperator || (!isOfPortal && stored?.[name] == null));
  };
}

/** The values that a caller may write, for an input of the API. A secret that is left empty stays as it is. */
export const writtenValues = (values: EndpointValues, isWritten: (name: FieldName) => boolean): EndpointValues =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const { secret, identifies } = fieldNamed(name as FieldName);
      return !isWritten(name as FieldName) || (secret && !value) ? [] : [[name, identifies ? value || null : value]];
    }),
  ) as EndpointValues;
