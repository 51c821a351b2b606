/**
 * Addresses that are not the public internet: all of IANA's special-purpose registries
 * (iana.org/assignments/iana-ipv4-special-registry, …/iana-ipv6-special-registry), multicast, blocks that were handed
 * back, and cloud providers' own. Entries that the registries call globally reachable are here too (anycast services,
 * such as AS112 and AMT): the nearest one may be in our own network, and no receiver of webhooks lives there.
 */
export const refusedIpv4: readonly string[] = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, and one provider's metadata service
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud provider's host agent, on a public address
  '169.254.0.0/16', // link-local, and most metadata services
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112, anycast
  '192.52.193.0/24', // multicast relays (AMT), anycast
  '192.88.99.0/24', // 6to4 relays, anycast
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112, anycast
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
];

/** The one block of IPv6 that is handed out for the public internet. All else is refused. */
export const publicIpv6 = '2000::/3';

/** Within `publicIpv6`. */
export const refusedIpv6: readonly string[] = [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID, anycast services
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: carries an IPv4 address, which may be private
  '2620:4f:8000::/48', // AS112, anycast
  '3ffe::/16', // the former 6bone
  '3fff::/20', // documentation
];

export const loopbackRanges: readonly string[] = ['127.0.0.0/8', '::1/128'];

/** Services that understand enough of a POST to be harmed by it. Below 1024 only 80 and 443 are open anyway. */
export const refusedPorts: ReadonlySet<number> = new Set([
  1433, // SQL Server
  1521, // Oracle
  2049, // NFS
  2375, // Docker
  2376, // Docker with TLS
  2379, // etcd
  2380, // etcd peers
  2525, // mail submission
  3306, // MySQL
  3389, // remote desktop
  5432, // Postgres
  5672, // AMQP
  5900, // VNC
  6379, // Redis
  6443, // Kubernetes
  9042, // Cassandra
  9092, // Kafka
  9200, // Elasticsearch
  10250, // kubelet
  11211, // memcached
  27017, // MongoDB
]);
