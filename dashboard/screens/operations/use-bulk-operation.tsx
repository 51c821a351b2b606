import { Trans } from '@lingui/react/macro';
import { useEffect, useRef, useState } from 'react';
import { type CombinedError, type TypedDocumentNode, useMutation } from 'urql';
import type { BulkWork } from '../../parts/bulk-dialog';
import { Link } from '../../parts/place';
import { OperationProgress } from './operation-progress';

/** How long nobody changes the choice before it is counted again. */
const PAUSE_MS = 400;

interface Run {
  total: number;
  totalCapped: boolean;
  leftOut?: number;
  bulkOperation?: { id: string; databaseId: number } | null;
}

/**
 * A bulk operation: its dry run counts, and another choice is counted again.
 *
 * @param document a mutation whose result is named `run`.
 * @param input the choice, the same object while it is the same; undefined while it is incomplete.
 * @param confirming what starting needs besides: the number that was counted, and a reason.
 */
export function useBulkOperation<Input extends { dryRun?: boolean | null | undefined }>(
  document: TypedDocumentNode<{ run: Run }, { input: Input }>,
  input: Input | undefined,
  confirming?: (total: number) => Partial<Input>,
): BulkWork {
  const [{ fetching, data }, run] = useMutation(document);
  const [counted, setCounted] = useState<{ input: Input; run: Run | undefined; error: CombinedError | undefined }>();
  const pauseMs = useRef(0);
  useEffect(() => {
    if (input === undefined) {
      return;
    }
    let isPast = false;
    const timer = setTimeout(async () => {
      const { data, error } = await run({ input: { ...input, dryRun: true } });
      if (!isPast) {
        setCounted({ input, run: data?.run, error });
      }
    }, pauseMs.current);
    pauseMs.current = PAUSE_MS;
    return () => {
      isPast = true;
      clearTimeout(timer);
    };
  }, [input, run]);
  const found = counted?.input === input ? counted : undefined;
  // The button follows a render later: a second click comes before it.
  const isStarting = useRef(false);
  const start = async (input: Input) => {
    if (isStarting.current) {
      return;
    }
    isStarting.current = true;
    const { error } = await run({ input: { ...input, ...confirming?.(found?.run?.total ?? 0), dryRun: false } });
    isStarting.current = false;
    setCounted({ input, run: found?.run, error });
  };
  const operation = data?.run.bulkOperation;
  return {
    total: found?.run?.total,
    totalCapped: found?.run?.totalCapped ?? false,
    leftOut: found?.run?.leftOut ?? 0,
    isCounting: input !== undefined && found === undefined,
    busy: fetching,
    error: found?.error,
    start: () => input && void start(input),
    progress: operation ? <Started {...operation} /> : undefined,
  };
}

function Started({ id, databaseId }: { id: string; databaseId: number }) {
  return (
    <>
      <OperationProgress id={id} />
      <p>
        <Link to={`/operations/${databaseId}`} className="text-accent">
          <Trans>Open the operation</Trans>
        </Link>{' '}
        <span className="text-soft">
          <Trans>It continues when you close this window.</Trans>
        </span>
      </p>
    </>
  );
}
