import { readFileSync } from 'node:fs'
import { createServer, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import { type Logger, startInterval } from '@cobro/runtime'

/** The settings of the certificate with which a server listens. Without them it listens with http. */
export interface TlsSettings {
  TLS_CERT_FILE?: string | undefined
  TLS_KEY_FILE?: string | undefined
}

interface Certificate {
  cert: Buffer
  key: Buffer
}

const servedCertificates = new WeakMap<Server, Certificate>()
const reloadMs = 5_000
const handshakeTimeout = 10_000

/** Creates a server, with https if the settings name a certificate. */
export function createHttpServer(settings: TlsSettings, options: ServerOptions): Server {
  const certificate = readCertificate(settings)
  if (!certificate) return createServer(options)
  const server = createTlsServer({ ...options, ...certificate, handshakeTimeout })
  servedCertificates.set(server, certificate)
  // By default failed handshakes are emitted as `clientError`, as if a request were malformed.
  server.removeAllListeners('tlsClientError')
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return server
}

/** Returns the event that a server emits for each connection that can send requests. */
export function connectionEvent(server: Server): 'connection' | 'secureConnection' {
  return server instanceof TlsServer ? 'secureConnection' : 'connection'
}

/**
 * Reads the certificate again every five seconds, and serves a new one to new connections.
 * Files that are missing or do not match, such as during a replacement, are logged and leave the served one in place.
 */
export function reloadCertificate(
  server: Server,
  settings: TlsSettings,
  logger: Logger,
  intervalMs = reloadMs,
): { stop: () => Promise<void> } {
  if (!(server instanceof TlsServer)) return { stop: async () => undefined }
  const reload = async () => {
    const served = servedCertificates.get(server)
    const found = readCertificate(settings)
    if (!found || (served?.cert.equals(found.cert) && served.key.equals(found.key))) return
    server.setSecureContext(found)
    servedCertificates.set(server, found)
    logger.info('serving a new TLS certificate')
  }
  return startInterval(intervalMs, 'reload the TLS certificate', reload, logger)
}

function readCertificate({ TLS_CERT_FILE, TLS_KEY_FILE }: TlsSettings): Certificate | undefined {
  if (!TLS_CERT_FILE && !TLS_KEY_FILE) return undefined
  if (!TLS_CERT_FILE || !TLS_KEY_FILE) throw new Error('TLS_CERT_FILE and TLS_KEY_FILE need each other.')
  return { cert: readFileSync(TLS_CERT_FILE), key: readFileSync(TLS_KEY_FILE) }
}
