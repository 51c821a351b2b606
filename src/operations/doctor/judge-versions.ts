import { type Check, warnIf } from './check.js';

/**
 * Whether a daemon is older than the schema by more than a minor version: releases are tried over a schema that is one
 * newer. Processes of the API do not report their version.
 *
 * @param ofDaemons the versions of running daemons
 * @param own the version of this program, which knows the whole schema
 */
export function judgeVersions(ofDaemons: readonly string[], own: string): Check {
  const newest = [own, ...ofDaemons].reduce((one, other) => (isBehind(one, other, 0) ? other : one));
  const old = ofDaemons.filter((version) => isBehind(version, newest, 1));
  return warnIf(
    old.length > 0,
    'versions',
    `Daemons run ${old.join(', ')}, and the newest version is ${newest}: more than one minor version apart. Upgrade them.`,
    'No daemon is older than the schema by more than one minor version.',
  );
}

/** Whether one is older by more than this number of minor versions; by any, where the major version differs. */
function isBehind(version: string, newest: string, minors: number): boolean {
  const [[major = 0, minor = 0], [newMajor = 0, newMinor = 0]] = [version, newest].map((text) =>
    text.split('.').map(Number),
  ) as [number[], number[]];
  return major === newMajor ? newMinor - minor > minors : newMajor > major;
}
