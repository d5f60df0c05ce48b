import 'reflect-metadata'
import { KeyObject, type webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** A certificate with its private key, as PEM. */
export interface TestCertificate {
  cert: string
  key: string
}

/** The validity of a certificate. */
interface Period {
  from: Date
  to: Date
}

/** A certificate authority of a test. */
export interface TestAuthority {
  cert: string
  /** Issues a certificate for a host name or address; by default valid from yesterday until tomorrow. */
  issue(host: string, period?: Period): Promise<TestCertificate>
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const day = (days: number) => new Date(Date.now() + days * 86_400_000)
export const expired: Period = { from: day(-2), to: day(-1) }
const current: Period = { from: day(-1), to: day(1) }

/** Creates a certificate authority. */
export async function testAuthority(name = 'Test authority'): Promise<TestAuthority> {
  const keys = await generateKeys()
  const root = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    notBefore: day(-30),
    notAfter: day(30),
    extensions: [new BasicConstraintsExtension(true, 0, true)],
  })
  const issue = async (host: string, { from, to } = current) => {
    const own = await generateKeys()
    const certificate = await X509CertificateGenerator.create({
      subject: `CN=${host}`,
      issuer: root.subject,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: algorithm,
      notBefore: from,
      notAfter: to,
      extensions: [alternativeName(host)],
    })
    return { cert: certificatePem(certificate), key: privatePem(own.privateKey) }
  }
  return { cert: certificatePem(root), issue }
}

/** Creates a self-signed certificate for a host name or address. */
export async function selfSigned(host: string, { from, to }: Period = current): Promise<TestCertificate> {
  const keys = await generateKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${host}`,
    keys,
    signingAlgorithm: algorithm,
    notBefore: from,
    notAfter: to,
    extensions: [alternativeName(host)],
  })
  return { cert: certificatePem(certificate), key: privatePem(keys.privateKey) }
}

/** Creates an authority that the tests of the calling file trust. */
export function trustedAuthority(): Pick<TestAuthority, 'issue'> {
  const created = testAuthority()
  let distrust: () => void
  beforeAll(async () => {
    distrust = trustAuthority(await created)
  })
  afterAll(() => distrust())
  return { issue: async (host, period) => (await created).issue(host, period) }
}

/** Trusts an authority in this process, as `NODE_EXTRA_CA_CERTS` does. Returns how to undo that. */
function trustAuthority({ cert }: TestAuthority): () => void {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, cert])
  return () => setDefaultCACertificates(before)
}

const generateKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

/** Ends with a newline, so that certificates can be joined. */
const certificatePem = (certificate: X509Certificate) => `${certificate.toString('pem')}\n`

const privatePem = (key: webcrypto.CryptoKey) => KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString()

const alternativeName = (host: string) =>
  new SubjectAlternativeNameExtension([{ type: isIP(host) ? 'ip' : 'dns', value: host }])
