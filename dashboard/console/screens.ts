import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import {
  Building2,
  ChartBarDecreasing,
  Gauge,
  KeyRound,
  ListTree,
  type LucideIcon,
  ScrollText,
  Webhook,
} from 'lucide-react';
import type { Scope } from '../../src/domain/keys/scopes';
import { isAllowed, useViewer } from '../parts/viewer';

interface ConsoleScreen {
  path: string;
  name: MessageDescriptor;
  icon: LucideIcon;
  /** Undefined: every platform key sees it. */
  scope?: Scope;
}

/** The screens of the console itself, as its sidebar has them. */
const CONSOLE_SCREENS: readonly ConsoleScreen[] = [
  { path: '/', name: msg`Installation`, icon: Gauge },
  { path: '/tenants', name: msg`Tenants`, icon: Building2 },
  {
    path: '/tenants/installation/endpoints',
    name: msg`Endpoints of the installation`,
    icon: Webhook,
    scope: 'platform:admin',
  },
  { path: '/worst', name: msg`Endpoint ranking`, icon: ChartBarDecreasing },
  { path: '/event-types', name: msg`Event types`, icon: ListTree },
  { path: '/keys', name: msg`Platform keys`, icon: KeyRound },
  { path: '/audit', name: msg`Audit log`, icon: ScrollText },
];

/** The screens that the page's caller can open. */
export function useConsoleScreens(): readonly ConsoleScreen[] {
  const viewer = useViewer();
  return CONSOLE_SCREENS.filter(({ scope }) => scope === undefined || isAllowed(viewer, scope));
}
