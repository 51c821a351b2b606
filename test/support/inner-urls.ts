/** Spellings of urls that lead inside, or that no webhook may have. */

/** Hosts that lead to this machine: each of them reaches the canary when loopback is opened. */
export const leadToCanary = [
  ...['127.0.0.1', '127.1', '127.0.1', '0177.0.0.1', '0x7f.1', '0x7f000001', '0X7F.0.0.0x1', '2130706433'],
  ...['017700000001', '0x7f.0.1', '0177.1', '127.0.0.1.', '%31%32%37.0.0.1', '%31%32%37%2E1', '12\t7.0.0.1'],
  ...['127.0.\n0.1', '127.0.0.\r1', '１２７.０.０.１', '①②⑦.⓪.⓪.①', '𝟏𝟐𝟕.0.0.1', '127。0。0。1', '127．0．0．1'],
  ...['127｡0｡0｡1'],
  ...['0', '0.0.0.0', '0x0', '00.0.0.0', '000', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:7F00:0001]'],
  ...['[0:0:0:0:0:ffff:7f00:1]', '[::ffff:0.0.0.0]', 'localhost', 'LOCALHOST', 'localhost.', 'loc%61lhost'],
  ...['ⓛocalhost', 'ｌｏｃａｌｈｏｓｔ', 'a.localhost', 'hooks.localhost.', 'loc\u00adalhost'],
];
export const onIpv6 = ['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::0.0.0.1]', '[::]', '[0::0]'];

/** Hosts that are refused as well; on another network they may lead inside. */
export const otherHosts = [
  ...['127.0.0.3', '127.255.255.254', '10.0.0.1', '0xA.1', '012.0.0.1', '167772161', '169.254.169.254'],
  ...['169.254.43518', '0xa9fea9fe', '2852039166', '169.254.170.2', '192.168.1.1', '172.16.0.1', '100.100.100.200'],
  ...['168.63.129.16', '192.0.0.192', '255.255.255.255', '[::127.0.0.1]', '[::7f00:1]', '[64:ff9b::7f00:1]'],
  ...['[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]', '[2001::1]', '[::ffff:0:127.0.0.1]'],
  ...['[::5efe:127.0.0.1]', '[2a00::5efe:7f00:1]', '[2a00::200:5efe:7f00:1]', '[fe80::5efe:7f00:1]'],
  ...['[fe80::1]', '[fd00:ec2::254]', '[ff02::1]', '[fec0::1]', '[4000::1]', '[fe80::1%25lo]', '[fe80::1%lo]'],
  ...['[::1%25lo]', '127.0.0.1.nip.localhost', 'localhost.localdomain', 'db.private', 'ip6-localhost', 'backend'],
  ...['printer.local', 'metadata.google.internal', 'kubernetes.default.svc.cluster.local', 'abc.onion'],
  ...['instance-data', 'a.home.arpa'],
  ...['1.2.3.256', '127.0.0.1.1', '127..0.1', '0x7f.0x', '[::1', '127.0.0.1%00.example.com', 'exa mple.com'],
];

/** Whole urls; CANARY stands for its address and port. */
export const innerUrls = [
  ...['http://user@CANARY/', 'http://user:password@CANARY/', 'http://@CANARY/', 'http://:@CANARY/'],
  ...['http://example.com@CANARY/', 'http://example.com:80@CANARY/', 'http://example.com%40CANARY/'],
  ...['http://CANARY#@example.com/', 'http://CANARY?@example.com/', 'http://CANARY\\@example.com/'],
  ...['http://CANARY;@localhost/', 'http://example.com&@CANARY#@example.org/', 'http:\\\\CANARY/', 'http:CANARY/'],
  ...['http:/CANARY/', 'http:///CANARY/', 'http://\\CANARY/', '//CANARY/', '/\\CANARY/', 'CANARY'],
  ...[' http://CANARY/ ', 'h\nttp://CANARY/', '\u0000http://CANARY/'],
  ...['HTTP://CANARY', 'https://CANARY/', 'wss://CANARY/', 'ws://CANARY/', 'ftp://CANARY/', 'gopher://CANARY/_GET'],
  ...['dict://CANARY/', 'ldap://CANARY/', 'jar:http://CANARY!/', 'view-source:http://CANARY/', 'blob:http://CANARY/'],
  ...['file:///etc/passwd', 'file://CANARY/etc/passwd', 'data:text/plain,x', 'javascript:fetch("http://CANARY")'],
  ...['unix:/var/run/docker.sock', 'http://unix:/var/run/docker.sock:/x', 'http://%2fvar%2frun%2fdocker.sock/x'],
  ...['http://example.com:0/', 'http://example.com:22/', 'http://example.com:25/', 'http://example.com:5432/'],
  ...['http://example.com:6379/', 'http://example.com:11211/', 'https://example.com:2375/'],
  ...[
    'http://example.com:65616/',
    'http://127.0.0.1:80/',
    'http://127.0.0.1/',
    'https://localhost/',
    'http://[::1]:443/',
  ],
];
