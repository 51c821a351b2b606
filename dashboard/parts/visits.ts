import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { sessions } from '../api/session';

/** A page of one thing, which somebody has looked at. */
interface Visit {
  path: string;
  name: string;
}

const VISITS_MAX = 8;
/** Pages of one thing have its number, id or name at the end of their path. */
const ONE =
  /\/(deliveries|events|endpoints|operations|event-types|catalogue)\/(?!new$)[^/]+$|^\/tenants\/\d+\/overview$/;

/** The visits of the person who is signed in. Only memory has them, so they end with the page. */
let visits: { signIn: number; list: readonly Visit[] } = { signIn: 0, list: [] };

const signIn = (): number => {
  const standing = sessions.read();
  return standing.session === null ? 0 : standing.signIn;
};

/** The last pages of one thing, the latest first. */
export const lastVisits = (): readonly Visit[] => (visits.signIn === signIn() ? visits.list : []);

/** Notes the page that is shown. @param name its title */
export function useVisit(name: string): void {
  const { pathname: path } = useLocation();
  useEffect(() => {
    if (ONE.test(path)) {
      const others = lastVisits().filter((visit) => visit.path !== path);
      visits = { signIn: signIn(), list: [{ path, name }, ...others].slice(0, VISITS_MAX) };
    }
  }, [path, name]);
}
