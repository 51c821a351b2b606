import { type MiddlewareFn, UseMiddleware } from 'type-graphql';
import { type Context, callerOf, requireScope, tenantOf } from '../context.js';
import { PLATFORM_SCOPE, type TenantScope } from '../domain/api-key.js';

type FieldDecorator = MethodDecorator & PropertyDecorator;

/**
 * Stands on every field where a request enters a tenant's data: the caller needs one of the scopes, and a tenant.
 * A nested field that leads from one kind of data to another is such a field too.
 */
export function Requires(...anyOf: readonly TenantScope[]): FieldDecorator {
  return guard((context) => {
    requireScope(context, ...anyOf);
    tenantOf(context);
  });
}

/** As `Requires`, for fields that find their tenant by themselves: emits, and keys (which may be platform keys). */
export function RequiresScope(scope: TenantScope): FieldDecorator {
  return guard((context) => requireScope(context, scope));
}

export function RequiresPlatformKey(): FieldDecorator {
  return guard((context) => requireScope(context, PLATFORM_SCOPE));
}

/** Any valid key will do. */
export function RequiresKey(): FieldDecorator {
  return guard((context) => void callerOf(context));
}

function guard(check: (context: Context) => void): FieldDecorator {
  const middleware: MiddlewareFn<Context> = ({ context }, next) => {
    check(context);
    return next();
  };
  return UseMiddleware(middleware) as FieldDecorator;
}
