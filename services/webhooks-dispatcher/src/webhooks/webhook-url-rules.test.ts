import { faultOfUrl, isPublicAddress } from './webhook-url-rules.ts'

const sandbox = { httpsOnly: false, allowPrivate: false }
const production = { httpsOnly: true, allowPrivate: false }

test.each([
  'https://example.com',
  'https://example.com/hooks?shop=1&x=%20',
  'https://hooks.example.com:8443/a',
  'https://ñandú.example/ruta',
  'https://93.184.215.14/',
  'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
  'HTTPS://EXAMPLE.COM/',
  'https://example.com:65535/',
  'https://127.0.0.1.example.com/',
  'https://localhost.example.com/',
])('takes %s', url => {
  expect(faultOfUrl(url, production)).toBeUndefined()
})

test('takes http in sandbox alone', () => {
  expect(faultOfUrl('http://example.com/', sandbox)).toBeUndefined()
  expect(faultOfUrl('http://example.com/', production)).toBe('expected an https URL')
})

test.each([
  ['127.0.0.1', 'https://127.0.0.1/'],
  ['127.0.0.1 by fewer parts', 'https://127.1/'],
  ['127.0.0.1 as one number', 'https://2130706433/'],
  ['127.0.0.1 in hexadecimal', 'https://0x7f.1/'],
  ['127.0.0.1 as one hexadecimal number', 'https://0x7f000001/'],
  ['127.0.0.1 in octal', 'https://0177.0.0.1/'],
  ['127.0.0.1 in full-width digits', 'https://\uff11\uff12\uff17.\uff10.\uff10.\uff11/'],
  ['127.0.0.1 with circled digits', 'https://①②⑦.⓪.⓪.①/'],
  ['127.0.0.1 escaped', 'https://%31%32%37.0.0.1/'],
  ['127.0.0.1 with a dot behind', 'https://127.0.0.1./'],
  ['all of 127/8', 'https://127.255.255.254/'],
  ['localhost', 'https://localhost/'],
  ['localhost in capitals', 'https://LOCALHOST/'],
  ['localhost with a dot behind', 'https://localhost./'],
  ['a name under localhost', 'https://db.localhost/'],
  ['this network', 'https://0.0.0.0/'],
  ['zero', 'https://0/'],
  ['10/8', 'https://10.0.0.1/'],
  ['172.16/12', 'https://172.31.255.255/'],
  ['192.168/16', 'https://192.168.0.1/'],
  ['link-local', 'https://169.254.1.1/'],
  ['cloud metadata', 'http://169.254.169.254/latest/meta-data/'],
  ["Azure's wire server", 'http://168.63.129.16/metadata'],
  ['Oracle metadata', 'http://192.0.0.192/opc/v2/'],
  ['Alibaba metadata', 'http://100.100.100.200/'],
  ['carrier-grade NAT', 'https://100.64.0.1/'],
  ['IETF assignments', 'https://192.0.0.8/'],
  ['documentation', 'https://192.0.2.1/'],
  ['documentation, second', 'https://198.51.100.1/'],
  ['documentation, third', 'https://203.0.113.1/'],
  ['benchmarks', 'https://198.19.255.255/'],
  ['6to4 relays', 'https://192.88.99.1/'],
  ['multicast', 'https://224.0.0.1/'],
  ['reserved', 'https://240.0.0.1/'],
  ['broadcast', 'https://255.255.255.255/'],
  ['IPv6 unspecified', 'https://[::]/'],
  ['IPv6 loopback', 'https://[::1]/'],
  ['IPv6 loopback in full', 'https://[0:0:0:0:0:0:0:1]/'],
  ['IPv4-mapped', 'https://[::ffff:127.0.0.1]/'],
  ['IPv4-mapped in hexadecimal', 'https://[::ffff:7f00:1]/'],
  ['IPv4-mapped, though public', 'https://[::ffff:93.184.215.14]/'],
  ['IPv4-compatible', 'https://[::127.0.0.1]/'],
  ['IPv4-translated', 'https://[::ffff:0:127.0.0.1]/'],
  ['NAT64', 'https://[64:ff9b::7f00:1]/'],
  ['local NAT64', 'https://[64:ff9b:1::a00:1]/'],
  ['6to4 of a private address', 'https://[2002:7f00:1::]/'],
  ['Teredo', 'https://[2001:0:53aa:64c::1]/'],
  ['unique local', 'https://[fd00:ec2::254]/'],
  ['IPv6 link-local', 'https://[fe80::1]/'],
  ['site-local', 'https://[fec0::1]/'],
  ['IPv6 multicast', 'https://[ff02::1]/'],
  ['discard only', 'https://[100::1]/'],
  ['IPv6 documentation', 'https://[2001:db8::1]/'],
  ['newer IPv6 documentation', 'https://[3fff::1]/'],
  ['segment routing', 'https://[5f00::1]/'],
  ['IPv6 outside of global unicast', 'https://[4000::1]/'],
])('refuses %s', (_what, url) => {
  expect(faultOfUrl(url, sandbox)).toBe('expected a public address')
  expect(faultOfUrl(url.replace('http:', 'https:'), { httpsOnly: true, allowPrivate: true })).toBeUndefined()
})

test.each([
  ['nothing', ''],
  ['a path', '/hooks'],
  ['a host alone', 'example.com'],
  ['no host', 'https:///hooks'],
  ['no slashes', 'https:example.com'],
  ['one slash', 'https:/example.com'],
  ['backslashes', 'https:\\\\example.com\\hooks'],
  ['a backslash in the path', 'https://example.com\\@127.0.0.1/'],
  ['a blank before', ' https://example.com/'],
  ['a blank within', 'https://example.com/a b'],
  ['a line break', 'https://example.com/\r\nX-Evil: 1'],
  ['a tab in the host', 'https://127.0\t.0.1/'],
  ['a zone', 'https://[fe80::1%25lo]/'],
  ['too large a number', 'https://4294967296/'],
  ['too large a port', 'https://example.com:65536/'],
])('refuses %s as no absolute URL', (_what, url) => {
  expect(faultOfUrl(url, sandbox)).toBe('expected an absolute https or http URL')
})

test.each([
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com:70/x',
  'javascript://example.com/%0aalert(1)',
  'ws://example.com/',
])('refuses %s', url => {
  expect(faultOfUrl(url, sandbox)).toMatch(/^expected an (absolute )?https or http URL$/)
})

test.each([
  'https://me@example.com/',
  'https://me:secret@example.com/',
  'https://:secret@example.com/',
  'https://example.com@127.0.0.1/',
])('refuses credentials: %s', url => {
  expect(faultOfUrl(url, sandbox)).toBe('expected a URL without credentials')
})

test.each([22, 25, 53, 110, 143, 445, 3306, 5432, 5672, 6379, 9200, 11211, 15672, 27017])(
  'refuses port %d, also for local work',
  port => {
    const url = `https://example.com:${port}/`
    expect(faultOfUrl(url, sandbox)).toBe(`port ${port} is not allowed`)
    expect(faultOfUrl(url, { ...sandbox, allowPrivate: true })).toBe(`port ${port} is not allowed`)
  },
)

test.each(['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '1.1.1.1', '172.15.0.1', '172.32.0.1'])(
  '%s is public',
  address => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test.each(['10.0.0.1', '::1', 'fe80::1%eth0', '', 'example.com', '127.0.0.1\0'])('%p is not', address => {
  expect(isPublicAddress(address)).toBe(false)
})
