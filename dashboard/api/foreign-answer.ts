import { t } from '@lingui/core/macro';

/** An answer of something between this page and the service, such as the error page of a proxy. */
export class ForeignAnswer extends TypeError {
  constructor(readonly status: number) {
    super(t`A proxy answered ${status} instead of the service.`);
  }
}

/** @throws ForeignAnswer for an answer that is not GraphQL's; else a proxy's 401 would look like a key that is refused */
export async function requireOwn(response: Response): Promise<void> {
  const isOwn = response.status === 401 ? await isOwnRefusal(response.clone()) : hasOwnType(response);
  if (!isOwn) {
    throw new ForeignAnswer(response.status);
  }
}

export const hasOwnType = ({ headers }: Response) => /json|event-stream/.test(headers.get('content-type') ?? '');

async function isOwnRefusal(response: Response): Promise<boolean> {
  const { errors } = (await response.json().catch(() => ({}))) as { errors?: { extensions?: { code?: unknown } }[] };
  return errors?.[0]?.extensions?.code === 'UNAUTHENTICATED';
}
