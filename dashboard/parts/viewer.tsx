import { createContext, useContext } from 'react';
import { hasScope, type Scope } from '../../src/domain/keys/scopes';
import { graphql } from '../api/generated';
import type { ViewerQuery } from '../api/generated/graphql';

/** The caller and its rights: each page of the dashboard reads them first. */
export const VIEWER = graphql(`
  query Viewer {
    viewer {
      scopes
      apiKey { id name expiresAt }
      tenant { id databaseId name externalId retentionDays }
      endpointOptions
      retention { deliveryDays }
      egressAddresses
      mailConfigured
      mailSettingsMissing
      endpointChallenge
      portalSession {
        id capabilities locale theme returnUrl parentOrigins expiresAt keysExpireInSeconds
        look { accent accentDark font radius transparent header }
      }
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
 * Whether somebody with these scopes may do what needs one of `anyOf`, by the server's own rule. What it would refuse is
 * not offered.
 */
export function isAllowed({ scopes }: Pick<ViewerQuery['viewer'], 'scopes'>, ...anyOf: Scope[]): boolean {
  const held = new Set(scopes as Scope[]);
  return anyOf.some((scope) => hasScope(held, scope));
}

/** Whether the operator lets the page's caller write options of webhooks of this part; undefined: every caller. */
export function useWritable(): (part: string | undefined) => boolean {
  const { endpointOptions } = useViewer();
  return (part) => part === undefined || endpointOptions.includes(part);
}

/** `isAllowed` for the page's caller. */
export function useAllowed(...anyOf: Scope[]): boolean {
  return isAllowed(useViewer(), ...anyOf);
}
