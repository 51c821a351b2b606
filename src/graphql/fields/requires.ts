import type { GraphQLField } from 'graphql';
import { Extensions, type MiddlewareFn, UseMiddleware } from 'type-graphql';
import { type Context, callerOf, requireScope, tenantOf } from '../../context/context.js';
import { PLATFORM_ADMIN, type PlatformScope, type Scope, type TenantScope } from '../../domain/keys/scopes.js';

type FieldDecorator = MethodDecorator & PropertyDecorator;

/** What a field asks of a request. It throws an ApiError where that is not given. */
export type Requirement = (context: Context) => void;

/** Where the schema has a field's requirement, so that it can be asked without running the field. */
const REQUIREMENT = 'requirement';

/**
 * Stands on every field where a request enters a tenant's data: the caller needs one of the scopes, and a tenant.
 * A nested field that leads from one kind of data to another is such a field too.
 */
export function Requires(...anyOf: readonly Scope[]): FieldDecorator {
  return guard((context) => {
    requireScope(context, ...anyOf);
    tenantOf(context);
  });
}

/** As `Requires`, for fields that find their tenant by themselves, or show what the installation has, too. */
export function RequiresScope(...anyOf: readonly Scope[]): FieldDecorator {
  return guard((context) => requireScope(context, ...anyOf));
}

/** For changes of what a tenant has, and, for a platform key that names none, the installation itself. */
export function RequiresScopeOrAdmin(scope: TenantScope): FieldDecorator {
  return guard((context) => requireScope(context, context.tenantId === null ? PLATFORM_ADMIN : scope));
}

export function RequiresPlatformKey(scope: PlatformScope): FieldDecorator {
  return guard((context) => requireScope(context, scope));
}

/** Any valid key will do. */
export function RequiresKey(): FieldDecorator {
  return guard((context) => void callerOf(context));
}

/** What a field of the schema requires, if anything. */
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
