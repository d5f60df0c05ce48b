import { connect, createServer, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { freePort } from '@cobro/local-stack'
import { joinSockets } from './tcp-proxy.ts'
import type { TestCertificate } from './test-certificates.ts'

/** A proxy that terminates TLS in front of a PostgreSQL or RabbitMQ without TLS. */
export interface TlsProxy {
  /** The server's URL with the host and port of the proxy. */
  url: URL
  /** Uses another certificate for new connections. */
  use(certificate: TestCertificate): void
  /** Closes every connection, and keeps accepting new ones. */
  cut(): void
  close(): Promise<void>
}

/** PostgreSQL's SSLRequest: its length and its code. */
const tlsRequest = Buffer.from('0000000804d2162f', 'hex')

/** The error with which a PostgreSQL that only has `hostssl` entries answers a client without TLS. */
const tlsRequired = errorResponse({ S: 'FATAL', C: '28000', M: 'no pg_hba.conf entry for this host, no encryption' })

function errorResponse(fields: Record<string, string>): Buffer {
  const body = Buffer.from(
    `${Object.entries(fields)
      .map(([type, text]) => `${type}${text}\0`)
      .join('')}\0`,
  )
  const header = Buffer.from('E0000')
  header.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([header, body])
}

/** Starts a proxy on 127.0.0.1. A PostgreSQL client asks for TLS before the handshake. */
export async function tlsProxy(targetUrl: string, certificate: TestCertificate): Promise<TlsProxy> {
  const url = new URL(targetUrl)
  const { hostname, port } = new URL(targetUrl)
  const isPostgres = url.protocol.startsWith('postgres')
  const sockets = new Set<Socket>()
  let secureContext = createSecureContext(certificate)
  const accept = (socket: Socket) => {
    const secure = new TLSSocket(socket, { isServer: true, secureContext })
    joinSockets(secure, connect(Number(port) || (isPostgres ? 5432 : 5672), hostname), sockets)
  }
  const server = createServer(socket => {
    socket.on('error', () => socket.destroy())
    if (!isPostgres) return accept(socket)
    socket.once('data', message => {
      if (!message.equals(tlsRequest)) return socket.end(tlsRequired)
      socket.write('S')
      accept(socket)
    })
  })
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const ownPort = await freePort()
  await new Promise<void>(resolve => server.listen(ownPort, '127.0.0.1', resolve))
  url.host = `127.0.0.1:${ownPort}`
  if (!isPostgres) url.protocol = 'amqps:'
  return {
    url,
    cut,
    use: next => {
      secureContext = createSecureContext(next)
    },
    close: async () => {
      const closed = new Promise(resolve => server.close(resolve))
      cut()
      await closed
    },
  }
}
