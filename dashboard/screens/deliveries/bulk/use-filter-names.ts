import { useLingui } from '@lingui/react/macro';
import { FILTER_NAMES } from '../filters/filter-names';
import type { FilterName } from '../filters/filters';

/** Filters by name, as a sentence has them. */
export function useFilterNames(filters: readonly FilterName[]): string {
  const { i18n } = useLingui();
  return new Intl.ListFormat(i18n.locale).format(filters.map((name) => i18n._(FILTER_NAMES[name])));
}
