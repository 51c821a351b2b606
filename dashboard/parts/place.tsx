import { Link as RouterLink, useNavigate, useSearch } from '@tanstack/react-router';
import { type ComponentProps, createContext, useCallback, useContext } from 'react';

/** Where the screens of a tenant are in the addresses: '' in the portal, `/tenants/tn_1` in the console. */
export const PlaceContext = createContext('');

export type Search = Record<string, string | undefined>;

type LinkProps = Omit<ComponentProps<'a'>, 'href' | 'target'> & {
  /** A path among the tenant's screens, such as `/deliveries/42`. */
  to: string;
  search?: Search;
  /** A path of the console itself. */
  outside?: boolean;
  /** Whether what follows the question mark decides if the link leads here. */
  activeOptions?: { exact: boolean };
};

/** A link to a screen of this tenant. Every id that is shown is one. */
export function Link({ to, search, outside, ...rest }: LinkProps) {
  const place = useContext(PlaceContext);
  const target: string = outside ? to : `${place}${to}`;
  return <RouterLink to={target} search={(search ?? {}) as never} {...rest} />;
}

/** Goes to a screen of this tenant. */
export function useGo(): (to: string, search?: Search, options?: { replace?: boolean }) => void {
  const place = useContext(PlaceContext);
  const navigate = useNavigate();
  return useCallback(
    (to, search, { replace = false } = {}) =>
      void navigate({ to: `${place}${to}` as string, search: (search ?? {}) as never, replace }),
    [place, navigate],
  );
}

/**
 * The state of a screen that its address keeps: filters, tab, range, open row. Setting a value to undefined or ''
 * takes it out of the address. `replace` leaves no entry in the history, as for text that is being typed.
 */
export function useAddress(): [Search, (change: Search, options?: { replace?: boolean }) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const change = useCallback(
    (values: Search, { replace = false } = {}) => {
      void navigate({
        to: '.',
        replace,
        search: ((previous: Search) =>
          Object.fromEntries(Object.entries({ ...previous, ...values }).filter(([, value]) => value))) as never,
      });
    },
    [navigate],
  );
  return [search, change];
}

/** How the router reads and writes what follows the question mark: plain names and texts, so that people can too. */
export const plainSearch = {
  parseSearch: (text: string): Search => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search: Record<string, unknown>): string => {
    const text = new URLSearchParams(
      Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
    ).toString();
    return text === '' ? '' : `?${text}`;
  },
};
