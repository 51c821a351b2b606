import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { sessions } from '../api/session';
import { tabStorage } from '../api/tab-storage';

/** A page of one thing, which somebody has looked at. */
interface Visit {
  path: string;
  name: string;
}

const VISITS_MAX = 8;
/** Pages of one thing have its number, id or name at the end of their path. */
const ONE =
  /\/(deliveries|events|endpoints|operations|event-types|catalogue)\/(?!new$)[^/]+$|^\/tenants\/\d+\/overview$/;

/** The visits of the person who is signed in. */
let visits: { signIn: number; list: readonly Visit[] } = { signIn: 0, list: [] };

/** A reload finds the visits where it finds the session, whose token says whose they are. */
const KEPT = 'visits';
sessions.subscribe(() => sessions.token === null && tabStorage.remove(KEPT));

function keptVisits(): readonly Visit[] {
  try {
    const { token, list } = JSON.parse(tabStorage.read(KEPT) ?? '{}');
    return token === sessions.token && Array.isArray(list) ? list : [];
  } catch {
    return []; // of another version
  }
}

const signIn = (): number => {
  const state = sessions.read();
  return state.session === null ? 0 : state.signIn;
};

/** The last pages of one thing, the latest first. */
export function lastVisits(): readonly Visit[] {
  if (visits.signIn !== signIn()) {
    visits = { signIn: signIn(), list: keptVisits() };
  }
  return visits.list;
}

/** Notes the page that is shown. @param name its title */
export function useVisit(name: string): void {
  const { pathname: path } = useLocation();
  useEffect(() => {
    if (ONE.test(path)) {
      const others = lastVisits().filter((visit) => visit.path !== path);
      visits = { signIn: signIn(), list: [{ path, name }, ...others].slice(0, VISITS_MAX) };
      const { token, isKept } = sessions;
      if (token !== null && isKept) {
        tabStorage.write(KEPT, JSON.stringify({ token, list: visits.list }));
      }
    }
  }, [path, name]);
}
