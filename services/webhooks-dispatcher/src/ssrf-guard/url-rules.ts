import ipaddr from 'ipaddr.js'

/** Which webhook URLs a deployment allows. */
export interface UrlRules {
  httpsOnly: boolean
  /** For local development: allows addresses outside of the public internet. */
  allowPrivate: boolean
}

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
/** A public address that serves secrets to every virtual machine in Azure. */
const azureWireServer = '168.63.129.16'

/** Ports of services with other protocols, which might read an HTTP request as a command. */
const blockedPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 138, 139, 143, 161, 162, 179, 389, 427, 445, 465, 512, 513, 514, 515, 526,
  530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 623, 636, 853, 873, 989, 990, 993, 995, 1080, 1099, 1433, 1521,
  1719, 1720, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3268, 3306, 3389, 3659, 4045, 4190, 4369, 5060,
  5061, 5432, 5433, 5671, 5672, 5900, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 8086,
  8500, 8883, 9042, 9092, 9093, 9100, 9200, 9300, 9418, 10080, 10250, 10255, 11211, 15671, 15672, 15692, 25672, 26379,
  27017, 27018, 28015, 33060, 61613, 61614,
])

/** Returns what is wrong with the text of a URL, or undefined. Does not resolve the hostname. */
export function findUrlProblem(text: string, rules: UrlRules): string | undefined {
  const schemes = rules.httpsOnly ? 'https' : 'https or http'
  // The parser would fix blanks, backslashes and missing slashes. Every parser must read the stored URL in the same way.
  const url = /^[a-z]+:\/\/[^/]/i.test(text) && !/[\s\\\p{Cc}]/u.test(text) ? URL.parse(text) : null
  if (!url) return `expected an absolute ${schemes} URL`
  if (url.protocol !== 'https:' && (rules.httpsOnly || url.protocol !== 'http:')) return `expected an ${schemes} URL`
  if (url.username || url.password) return 'expected a URL without credentials'
  if (isBlockedPort(url.port)) return `port ${url.port} is not allowed`
  if (!rules.allowPrivate && isLocalHost(url.hostname)) return 'expected a public address'
  return undefined
}

/** Returns whether the port of a URL belongs to a well-known service with another protocol. */
export function isBlockedPort(port: string): boolean {
  return port !== '' && blockedPorts.has(Number(port))
}

/** Returns whether a host is a private address or a name under localhost. */
export function isLocalHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (ipaddr.isValid(host)) return !isPublicAddress(host)
  return host === 'localhost' || host.endsWith('.localhost')
}

/**
 * Whether an address is an ordinary address of the public internet. Returns false for all reserved
 * ranges, including those that wrap another address (IPv4-mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast' || address.toString() === azureWireServer) return false
  return address.kind() === 'ipv4' || address.match(globalUnicast)
}
