import { createContext, useContext } from 'react';
import { graphql } from '../api/generated';
import type { ViewerQuery } from '../api/generated/graphql';

/** Who asks, with what rights: each page of the dashboard reads it first. */
export const VIEWER = graphql(`
  query Viewer {
    viewer {
      scopes
      apiKey { id name expiresAt }
      tenant { id databaseId name }
      portalSession { id capabilities locale theme returnUrl parentOrigins expiresAt }
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

/** Parts of a scope, which a portal session may hold alone. */
const WHOLE_OF: Record<string, string> = {
  'webhooks:edit': 'webhooks:write',
  'webhooks:secrets': 'webhooks:write',
  'webhooks:test': 'webhooks:write',
  'deliveries:resend': 'deliveries:write',
  'deliveries:bulk': 'deliveries:write',
};

/** What the scopes of platform keys have besides themselves. */
const WITHIN: Record<string, RegExp> = {
  'platform:read': /^(webhooks|events|deliveries):read$/,
  'platform:support': /^(?!platform:admin$)/,
  'platform:admin': /^/,
};

/**
 * Whether somebody with these scopes may do what needs one of `anyOf`. What the server would refuse is not offered.
 *
 * @param anyOf as docs/graphql.md has them, such as `webhooks:edit`.
 */
export function isAllowed({ scopes }: Pick<ViewerQuery['viewer'], 'scopes'>, ...anyOf: string[]): boolean {
  return anyOf.some(
    (scope) =>
      scopes.includes(scope) ||
      (WHOLE_OF[scope] !== undefined && scopes.includes(WHOLE_OF[scope])) ||
      scopes.some((held) => WITHIN[held]?.test(scope)),
  );
}

/** `isAllowed` for whoever is signed in. */
export function useAllowed(...anyOf: string[]): boolean {
  return isAllowed(useViewer(), ...anyOf);
}
