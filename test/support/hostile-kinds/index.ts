import type { HostileKind } from './kind.js';
import { malformed } from './malformed.js';
import { odd } from './odd.js';
import { redirecting, wantingNoMore } from './refusing.js';
import { absent, flooding, leaving, slow } from './slow.js';
import { tls } from './tls.js';

export type { HostileKind, Reading } from './kind.js';

export const hostileKinds: readonly HostileKind[] = [
  ...absent,
  ...slow,
  ...leaving,
  ...flooding,
  ...malformed,
  ...odd,
  ...redirecting,
  ...wantingNoMore,
  ...tls,
];
