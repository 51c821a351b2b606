import { Navigate } from '@tanstack/react-router';
import { memo } from 'react';

/** Leads elsewhere, once: the router's own part does so at each render, and renders again when it has. */
export const GoTo = memo(function GoTo({ to }: { to: string }) {
  return <Navigate to={to} replace />;
});
