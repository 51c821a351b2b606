import { createContext, useContext } from 'react';
import { graphql } from '../api/generated';
import type { ViewerQuery } from '../api/generated/graphql';

/** Who asks, with what rights: each page of the dashboard reads it first. */
export const VIEWER = graphql(`
  query Viewer {
    viewer {
      scopes
      apiKey { id name expiresAt }
      tenant { id name }
    }
  }
`);

export const ViewerContext = createContext<ViewerQuery['viewer'] | undefined>(undefined);

export function useViewer(): ViewerQuery['viewer'] {
  const viewer = useContext(ViewerContext);
  if (viewer === undefined) {
    throw new Error('This part is shown outside of a signed-in page');
  }
  return viewer;
}

/**
 * Whether the server takes what needs this scope. What it would refuse is not offered.
 *
 * @param scope such as `webhooks:write`.
 */
export function useAllowed(scope: string): boolean {
  const { scopes } = useViewer();
  return scopes.includes(scope) || scopes.includes('platform:admin');
}
