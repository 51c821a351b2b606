import { renderGraphiQL } from '@graphql-yoga/render-graphiql';

const START = '`npx hookwright start`';
/** Lines that fit into the editor of a window of 1280 pixels. */
const defaultQuery = `# Welcome to Hookwright.
#
# 1. Opened from the console, this page uses your
#    session. Else, under "Headers" below: Paste
#    your API key after "Bearer ". With
#    ${START} it is in
#    .data/api-key. This page never keeps it.
# 2. Run this query with Ctrl-Enter. It says who
#    you are and which events there are.

query WhoAmI {
  viewer {
    tenant { id name }
    scopes
  }
  eventTypes { name description }
}

# 3. Then make a webhook, emit an event for it,
#    and look at what was delivered: take the
#    "#" away, and name the one to run.
#
# mutation Subscribe {
#   createWebhook(input: {
#     url: "https://example.com/hooks"
#     eventTypes: ["*"]
#   }) { webhook { id } secret }
# }
#
# mutation Emit {
#   emitEvent(input: {
#     eventType: "coupon.applied"
#     payload: {code: "A", discount_type: "B"}
#   }) { event { id } deliveryCount }
# }
#
# query Deliveries {
#   deliveries(first: 10) {
#     nodes {
#       id eventType status nextAttemptAt
#       attempts {
#         number statusCode errorCode durationMs
#       }
#     }
#   }
# }
`;

/** GraphiQL reopens the tab of the last edited query, or an empty one. This makes it the tab that was open. */
const openSameTab = `<script>
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'));
    const { query, variables } = tabs[activeTabIndex];
    localStorage.setItem('graphiql:query', query ?? '');
    localStorage.setItem('graphiql:variables', variables ?? '');
  } catch {} // the first visit, or no storage
</script>`;
/**
 * Requests without a key get that of the console's session, which this tab keeps (dashboard/api/tab-storage.ts), and the
 * tenant that the address names after the number sign. A session of OpenID Connect is in a cookie, and needs no key.
 */
const useSession = `<script>
  try {
    const send = window.fetch;
    const tenant = new URLSearchParams(location.hash.slice(1)).get('tenant');
    window.fetch = (address, init = {}) => {
      const headers = new Headers(init.headers);
      if (/^(Bearer)?$/i.test((headers.get('authorization') ?? '').trim())) {
        const { token } = JSON.parse(sessionStorage.getItem('hookwright.session')) ?? {};
        token ? headers.set('authorization', 'Bearer ' + token) : headers.delete('authorization');
        if (tenant && !headers.has('hookwright-tenant')) headers.set('hookwright-tenant', tenant);
      }
      return send(address, { ...init, headers });
    };
  } catch {} // no storage
</script>`;
/** Hidden parts of Monaco's editors are larger than the window, which would get scroll bars. */
const noBars = '<style>body { overflow: hidden; }</style>';
const ROOT = '<div id="root"></div>';

/** GraphiQL as one page with its scripts and styles, 9 MB. The service writes the path that it is below into it. */
export function graphiqlPage(): string {
  const page = renderGraphiQL({
    title: 'Hookwright',
    endpoint: '/graphql',
    defaultQuery,
    headers: JSON.stringify({ Authorization: 'Bearer ' }, null, 2),
    isHeadersEditorEnabled: true,
    defaultEditorToolsVisibility: 'headers',
    // The storage of the browser must not keep a key.
    shouldPersistHeaders: false,
  } as Parameters<typeof renderGraphiQL>[0]);
  return page.replace(ROOT, noBars + ROOT + openSameTab + useSession);
}
