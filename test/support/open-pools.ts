import { onTestFinished } from 'vitest';
import { FollowingPool } from '../../daemon/sending/following-pool.js';

/** Watches the pools of all senders in this process until the test has ended. @returns those that are not closed */
export function watchPools(): ReadonlySet<FollowingPool> {
  const open = new Set<FollowingPool>();
  const { prototype } = FollowingPool;
  const { dispatch, close } = prototype as { dispatch: Method; close: Method };
  Object.assign(prototype, {
    dispatch(this: FollowingPool, ...request: unknown[]) {
      open.add(this);
      return dispatch.apply(this, request);
    },
    // undici's Agent does so when it has forgotten the pool.
    close(this: FollowingPool, ...callback: unknown[]) {
      open.delete(this);
      return close.apply(this, callback);
    },
  });
  onTestFinished(() => void Object.assign(prototype, { dispatch, close }));
  return open;
}

type Method = (...parameters: unknown[]) => unknown;
