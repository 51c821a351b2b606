import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Building2, ChartBarDecreasing, Gauge, KeyRound, ListTree, type LucideIcon, ScrollText } from 'lucide-react';

/** The screens of the console itself, as its sidebar has them. A platform key sees all of them. */
export const CONSOLE_SCREENS: readonly { path: string; name: MessageDescriptor; icon: LucideIcon }[] = [
  { path: '/', name: msg`Installation`, icon: Gauge },
  { path: '/tenants', name: msg`Tenants`, icon: Building2 },
  { path: '/worst', name: msg`Endpoint ranking`, icon: ChartBarDecreasing },
  { path: '/event-types', name: msg`Event types`, icon: ListTree },
  { path: '/keys', name: msg`Platform keys`, icon: KeyRound },
  { path: '/audit', name: msg`Audit log`, icon: ScrollText },
];
