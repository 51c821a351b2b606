import { REFUSAL } from './first-refusal';
import type { Issue } from './issues';
import { Untrusted } from './untrusted';

/** The broken rules that belong to no field. */
export function OtherIssues({ issues }: { issues: readonly Issue[] }) {
  return issues.map(({ detail }) => (
    <p key={detail} {...REFUSAL} role="alert" className="text-xs text-bad">
      <Untrusted text={detail} />
    </p>
  ));
}
