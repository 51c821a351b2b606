/**
 * IANA's special-purpose address registries, copied entry by entry (iana.org/assignments/iana-ipv4-special-registry and
 * …/iana-ipv6-special-registry), and what else is not the public internet. Each with what its neighbours before and
 * after are: public, or refused for another reason; null where the address space ends. The service has a table of its
 * own, of which this one knows nothing.
 */
type SpecialRange = [
  cidr: string,
  name: string,
  before: 'public' | 'refused' | null,
  after: 'public' | 'refused' | null,
];

const ipv4Registry: SpecialRange[] = [
  ['0.0.0.0/8', 'This network', null, 'public'],
  ['0.0.0.0/32', 'This host on this network', null, 'refused'],
  ['10.0.0.0/8', 'Private-Use', 'public', 'public'],
  ['100.64.0.0/10', 'Shared Address Space', 'public', 'public'],
  ['127.0.0.0/8', 'Loopback', 'public', 'public'],
  ['169.254.0.0/16', 'Link Local', 'public', 'public'],
  ['172.16.0.0/12', 'Private-Use', 'public', 'public'],
  ['192.0.0.0/24', 'IETF Protocol Assignments', 'public', 'public'],
  ['192.0.0.0/29', 'IPv4 Service Continuity Prefix', 'public', 'refused'],
  ['192.0.0.8/32', 'IPv4 dummy address', 'refused', 'refused'],
  ['192.0.0.9/32', 'Port Control Protocol Anycast', 'refused', 'refused'],
  ['192.0.0.10/32', 'Traversal Using Relays around NAT Anycast', 'refused', 'refused'],
  ['192.0.0.170/32', 'NAT64/DNS64 Discovery', 'refused', 'refused'],
  ['192.0.0.171/32', 'NAT64/DNS64 Discovery', 'refused', 'refused'],
  ['192.0.2.0/24', 'Documentation (TEST-NET-1)', 'public', 'public'],
  ['192.31.196.0/24', 'AS112-v4', 'public', 'public'],
  ['192.52.193.0/24', 'AMT', 'public', 'public'],
  ['192.88.99.0/24', 'Deprecated (6to4 Relay Anycast)', 'public', 'public'],
  ['192.88.99.2/32', '6a44-relay anycast address', 'refused', 'refused'],
  ['192.168.0.0/16', 'Private-Use', 'public', 'public'],
  ['192.175.48.0/24', 'Direct Delegation AS112 Service', 'public', 'public'],
  ['198.18.0.0/15', 'Benchmarking', 'public', 'public'],
  ['198.51.100.0/24', 'Documentation (TEST-NET-2)', 'public', 'public'],
  ['203.0.113.0/24', 'Documentation (TEST-NET-3)', 'public', 'public'],
  ['240.0.0.0/4', 'Reserved', 'refused', null],
  ['255.255.255.255/32', 'Limited Broadcast', 'refused', null],
];

const ipv6Registry: SpecialRange[] = [
  ['::1/128', 'Loopback Address', 'refused', 'refused'],
  ['::/128', 'Unspecified Address', null, 'refused'],
  ['::ffff:0:0/96', 'IPv4-mapped Address', 'refused', 'refused'],
  ['64:ff9b::/96', 'IPv4-IPv6 Translat.', 'refused', 'refused'],
  ['64:ff9b:1::/48', 'IPv4-IPv6 Translat.', 'refused', 'refused'],
  ['100::/64', 'Discard-Only Address Block', 'refused', 'refused'],
  ['100:0:0:1::/64', 'Dummy IPv6 Prefix', 'refused', 'refused'],
  ['2001::/23', 'IETF Protocol Assignments', 'public', 'public'],
  ['2001::/32', 'TEREDO', 'public', 'refused'],
  ['2001:1::1/128', 'Port Control Protocol Anycast', 'refused', 'refused'],
  ['2001:1::2/128', 'Traversal Using Relays around NAT Anycast', 'refused', 'refused'],
  ['2001:1::3/128', 'DNS-SD Service Registration Protocol Anycast', 'refused', 'refused'],
  ['2001:2::/48', 'Benchmarking', 'refused', 'refused'],
  ['2001:3::/32', 'AMT', 'refused', 'refused'],
  ['2001:4:112::/48', 'AS112-v6', 'refused', 'refused'],
  ['2001:10::/28', 'Deprecated (previously ORCHID)', 'refused', 'refused'],
  ['2001:20::/28', 'ORCHIDv2', 'refused', 'refused'],
  ['2001:30::/28', 'Drone Remote ID Protocol Entity Tags', 'refused', 'refused'],
  ['2001:db8::/32', 'Documentation', 'public', 'public'],
  ['2002::/16', '6to4', 'public', 'public'],
  ['2620:4f:8000::/48', 'Direct Delegation AS112 Service', 'public', 'public'],
  ['3fff::/20', 'Documentation', 'refused', 'public'],
  ['5f00::/16', 'Segment Routing (SRv6) SIDs', 'refused', 'refused'],
  ['fc00::/7', 'Unique-Local', 'refused', 'refused'],
  ['fe80::/10', 'Link-Local Unicast', 'refused', 'refused'],
];

const beyondTheRegistries: SpecialRange[] = [
  ['168.63.129.16/32', 'the host agent of a cloud provider', 'public', 'public'],
  ['169.254.169.254/32', 'metadata services', 'refused', 'refused'],
  ['169.254.170.2/32', 'a metadata service for containers', 'refused', 'refused'],
  ['100.100.100.200/32', 'a metadata service', 'refused', 'refused'],
  ['192.0.0.192/32', 'a metadata service', 'refused', 'refused'],
  ['fd00:ec2::254/128', 'a metadata service', 'refused', 'refused'],
  ['224.0.0.0/4', 'multicast', 'public', 'refused'],
  ['::/96', 'IPv4-compatible (deprecated)', null, 'refused'],
  ['::ffff:0:0:0/96', 'IPv4-translated (SIIT)', 'refused', 'refused'],
  ['::/3', 'never handed out', null, 'public'],
  ['3ffe::/16', '6bone, handed back', 'public', 'refused'],
  ['4000::/2', 'never handed out', 'public', 'refused'],
  ['8000::/1', 'never handed out', 'refused', null],
  ['fec0::/10', 'site-local (deprecated)', 'refused', 'refused'],
  ['ff00::/8', 'multicast', 'refused', null],
];

export const specialRanges: SpecialRange[] = [...ipv4Registry, ...ipv6Registry, ...beyondTheRegistries];
