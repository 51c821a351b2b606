import { useLingui } from '@lingui/react/macro';
import { useEffect } from 'react';
import { useQuery } from 'urql';
import { OnePage } from '../../../parts/one-page';
import { useAddress, useGo } from '../../../parts/place';
import { ENDPOINT_OF } from '../documents';

/** Addresses that other programs link to may have the external id of an endpoint: they lead to that with its number. */
export default function ByExternalId({ externalId }: { externalId: string }) {
  const { t } = useLingui();
  const go = useGo();
  const [address] = useAddress();
  const [{ data, error }, read] = useQuery({ query: ENDPOINT_OF, variables: { externalId } });
  const number = data?.webhook?.databaseId;
  useEffect(() => {
    if (number !== undefined) {
      go(`/endpoints/${number}`, address, { replace: true });
    }
  }, [go, number, address]);
  return (
    <OnePage
      title={t`Endpoint ${externalId}`}
      back={{ to: '/endpoints', name: t`Endpoints` }}
      thing={null}
      error={error}
      retry={read}
    >
      {() => null}
    </OnePage>
  );
}
