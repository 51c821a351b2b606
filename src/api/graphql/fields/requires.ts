import type { GraphQLField } from 'graphql';
import { Extensions, type MiddlewareFn, UseMiddleware } from 'type-graphql';
import { PLATFORM_ADMIN, type Scope, type TenantScope } from '../../../domain/keys/scopes.js';
import { type Context, callerOf, requireScope, requireTenant } from '../../context/context.js';

type FieldDecorator = MethodDecorator & PropertyDecorator;

/** Checks a request. @throws ApiError when the request does not meet the requirement */
export type Requirement = (context: Context) => void;

/** The extension of a field with its requirement, so that it can be checked without running the field. */
const REQUIREMENT = 'requirement';

/**
 * Guards a field that leads to data of a tenant: the caller needs one of the scopes, and a tenant. Nested fields that
 * lead from one kind of data to another are guarded too.
 */
export function Requires(...anyOf: readonly Scope[]): FieldDecorator {
  return guard((context) => {
    requireScope(context, ...anyOf);
    requireTenant(context);
  });
}

/** Guards a field that finds its tenant itself, or shows data of the installation. */
export function RequiresScope(...anyOf: readonly Scope[]): FieldDecorator {
  return guard((context) => requireScope(context, ...anyOf));
}

/** Guards a change of a tenant, or of the installation itself for a platform key that names no tenant. */
export function RequiresScopeOrAdmin(scope: TenantScope): FieldDecorator {
  return guard((context) => requireScope(context, context.tenantId === null ? PLATFORM_ADMIN : scope));
}

export function RequiresKey(): FieldDecorator {
  return guard((context) => void callerOf(context));
}

export function requirementOf(field: GraphQLField<unknown, unknown>): Requirement | undefined {
  return field.extensions[REQUIREMENT] as Requirement | undefined;
}

function guard(requirement: Requirement): FieldDecorator {
  const middleware: MiddlewareFn<Context> = ({ context }, next) => {
    requirement(context);
    return next();
  };
  const decorators = [UseMiddleware(middleware), Extensions({ [REQUIREMENT]: requirement })];
  return ((target: object, name: string, descriptor: PropertyDescriptor) => {
    for (const decorate of decorators as MethodDecorator[]) {
      decorate(target, name, descriptor);
    }
  }) as FieldDecorator;
}
