import { graphql } from '../../api/generated';

graphql(`
  fragment TenantRow on Tenant {
    id
    databaseId
    name
    externalId
    createdAt
    limitedSince
  }
`);

graphql(`
  fragment TenantUsage on Tenant {
    ...TenantRow
    webhookCount
    backlog { due held oldestDueAt countMax }
    lastDay { attempts failures }
  }
`);

export const TENANTS = graphql(`
  query Tenants($filter: TenantFilter, $after: String) {
    tenants(first: 50, after: $after, filter: $filter) {
      edges { node { ...TenantUsage } }
      pageInfo { hasNextPage endCursor }
    }
    installation {
      failing {
        gone
        disabled
        failing
        tenants(first: 50) { gone disabled failing tenant { ...TenantUsage } }
      }
    }
  }
`);

/** In another order than by what fails. */
export const TOP_TENANTS = graphql(`
  query TopTenants($by: TopTenantsBy!) {
    installation { topTenants(by: $by, first: 50) { ...TenantUsage } }
  }
`);

export const CREATE_TENANT = graphql(`
  mutation CreateTenant($name: String!, $externalId: String) {
    createTenant(input: { name: $name, externalId: $externalId }) { tenant { ...TenantRow } }
  }
`);

export const RENAME_TENANT = graphql(`
  mutation RenameTenant($id: ID!, $name: String!) {
    updateTenant(input: { id: $id, name: $name }) { tenant { ...TenantRow } }
  }
`);

export const SET_EXTERNAL_ID = graphql(`
  mutation SetTenantExternalId($id: ID!, $externalId: String) {
    updateTenant(input: { id: $id, externalId: $externalId }) { tenant { ...TenantRow } }
  }
`);

export const SET_RETENTION = graphql(`
  mutation SetTenantRetention($id: ID!, $retentionDays: Int) {
    updateTenant(input: { id: $id, retentionDays: $retentionDays }) { tenant { ...TenantRow retentionDays } }
  }
`);

export const DELIVERY_DEFAULTS = graphql(`
  query DeliveryDefaults($id: ID!) {
    tenant(id: $id) {
      id
      deliveryDefaults { timeoutMs retryDelaysSeconds recovery ratePerSecond concurrencyMax own }
    }
  }
`);

export const CHANGE_DEFAULTS = graphql(`
  mutation ChangeDeliveryDefaults($input: UpdateTenantInput!) {
    updateTenant(input: $input) {
      tenant {
        ...TenantRow
        deliveryDefaults { timeoutMs retryDelaysSeconds recovery ratePerSecond concurrencyMax own }
      }
    }
  }
`);

export const TENANT_LIMITS = graphql(`
  query TenantLimits($id: ID!) {
    tenant(id: $id) { id ...Limited limitedBy }
  }
`);

export const CHANGE_LIMITS = graphql(`
  mutation ChangeTenantLimits($input: UpdateTenantInput!) {
    updateTenant(input: $input) { tenant { ...TenantRow ...Limited limitedBy } }
  }
`);

/** The objects that would be deleted with a tenant. */
export const WHAT_GOES = graphql(`
  query WhatGoes {
    webhooks(first: 100) { edges { node { id } } }
    apiKeys(first: 100, filter: { active: true }) { edges { node { id } } }
    backlog { due scheduled held countMax }
  }
`);

export const DELETE_TENANT = graphql(`
  mutation DeleteTenant($id: ID!, $name: String!) {
    deleteTenant(input: { id: $id, name: $name }) { deletedTenantId }
  }
`);

graphql(`
  fragment PortalSessionRow on PortalSession {
    id
    capabilities
    createdAt
    expiresAt
    openUntil
    invitationDays
    status
    createdBy
    createdByKeyId
    createdByName
  }
`);

export const PORTAL_SESSIONS = graphql(`
  query PortalSessions($active: Boolean!) {
    portalSessions(first: 50, filter: { active: $active }) { edges { node { ...PortalSessionRow } } }
  }
`);

export const CREATE_PORTAL_SESSION = graphql(`
  mutation CreatePortalSession($capabilities: [PortalCapability!]!, $invitationDays: Int) {
    createPortalSession(input: { capabilities: $capabilities, invitationDays: $invitationDays }) {
      url
      session { ...PortalSessionRow }
    }
  }
`);

export const REVOKE_PORTAL_SESSION = graphql(`
  mutation RevokePortalSession($id: ID!) {
    revokePortalSession(input: { id: $id }) { session { ...PortalSessionRow } }
  }
`);
