import { type AnyVariables, type TypedDocumentNode, useMutation } from 'urql';
import { notify } from './toast';

/**
 * A mutation that a `Confirm` asks about: what that window shows of it, and the function that sends it.
 *
 * @param said once the service has done it
 * @param then what follows, such as that the window closes
 */
export function useConfirmed<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  said: string,
  then: () => void,
) {
  const [{ fetching, error }, send] = useMutation(document);
  const confirm = async (variables: Variables) => {
    const { data } = await send(variables);
    if (data) {
      notify(said);
      then();
    }
  };
  return [{ busy: fetching, error }, (variables: Variables) => void confirm(variables)] as const;
}
