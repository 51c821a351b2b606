import { Trans } from '@lingui/react/macro';
import { TEST_EVENT_TYPE } from '../../../src/domain/events/event-type';
import { Untrusted } from '../../parts/untrusted';

/** When events of a type happen: in the words of its operator, and for tests in ours. */
export function TypeDescription({ name, description }: { name: string; description: string }) {
  return name === TEST_EVENT_TYPE ? <Trans>When you send a test.</Trans> : <Untrusted text={description} />;
}
