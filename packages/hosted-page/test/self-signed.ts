import 'reflect-metadata'
import { KeyObject } from 'node:crypto'
import { X509CertificateGenerator } from '@peculiar/x509'

/** Creates a certificate that is valid from now on. Browsers accept it only if they ignore certificate errors. */
export async function selfSigned(): Promise<{ cert: string; key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=127.0.0.1',
    keys,
    signingAlgorithm: algorithm,
  })
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' })
  return { cert: certificate.toString('pem'), key: String(key) }
}
