import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { text } from 'node:stream/consumers'
import { type HostedPayable, policyReportOperations } from '@cobro/contracts'
import { readBuiltPage } from '../src/integrity/page-inventory.ts'
import { pageSecurityHeaders } from '../src/integrity/page-security-headers.ts'
import { type Offer, openOffer } from './offer.ts'

interface ReceivedReport {
  readonly type: string | undefined
  readonly body: string
}

export interface PayerServer {
  readonly origin: string
  /** Creates a payable with its own address, so that tests do not interfere. */
  offer(payable: HostedPayable): Offer
  /** Waits for a report of a violation whose body contains a text. */
  reported(words: string): Promise<ReceivedReport>
  /** The page and its assets by path. A test may change them. */
  readonly files: Map<string, Buffer>
  stop(): Promise<void>
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Serves the built page as the checkout service does, and the API as a test defines it; with a certificate, over https. */
export async function startPayerServer(certificate?: { cert: string; key: string }): Promise<PayerServer> {
  const files = new Map(readBuiltPage().map(({ path, content }) => [path, content]))
  const reports: ReceivedReport[] = []
  const arrivals = new EventEmitter()
  const offers = new Map<string, Offer>()
  const secure = certificate !== undefined
  const receive: RequestListener = async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const [, first = '', second = ''] = path.split('/')
    if (first === 'shop') return response.setHeader('content-type', 'text/html').end('<h1>Gracias</h1>')
    if (second === 'assets') return sendAsset(response, extname(path), files.get(path.slice('/hosted/'.length)))
    if (path === policyReportOperations.report.path) {
      reports.push({ type: request.headers['content-type'], body: await text(request) })
      arrivals.emit('report')
      return response.writeHead(204).end()
    }
    if (first !== 'hosted')
      return sendPage(response, offers.get(path.split('/').at(-1) ?? ''), files.get('index.html'), secure)
    return answer(request, response, path.split('/').slice(4), offers)
  }
  const server = certificate ? createSecureServer(certificate, receive) : createServer(receive)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http${secure ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    files,
    reported: async words => {
      for (;;) {
        const found = reports.find(({ body }) => body.includes(words))
        if (found) return found
        await once(arrivals, 'report')
      }
    },
    offer: payable => {
      const offer = openOffer(origin, payable, offers.size)
      offers.set(offer.payable().id, offer)
      return offer
    },
    stop: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

function sendPage(response: ServerResponse, offer: Offer | undefined, page: Buffer | undefined, secure: boolean): void {
  response.writeHead(offer ? 200 : 404, pageSecurityHeaders({ logoUrl: offer?.payable().logo_url, secure })).end(page)
}

function sendAsset(response: ServerResponse, extension: string, asset: Buffer | undefined): void {
  response
    .writeHead(asset ? 200 : 404, {
      'Content-Type': types[extension] ?? 'application/octet-stream',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    })
    .end(asset)
}

/** Answers the API: `rest` is the id and the optional subpath. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  [id = '', what]: string[],
  offers: Map<string, Offer>,
): Promise<void> {
  const offer = offers.get(id)
  if (!offer) return sendJson(response, 404, { error: 'not_found' })
  if (what === 'stream') return offer.stream(response)
  if (what === 'payments') {
    const script = offer.take({ key: request.headers['idempotency-key'], body: await text(request) })
    if (script.status) sendJson(response, script.status, script.body, script.headers)
    return
  }
  if (what === 'cancel') offer.change({ status: 'cancelled', transaction_status: 'Cancelled' })
  if (offer.readStatus === 'silent') return
  if (offer.readStatus !== 200) return sendJson(response, offer.readStatus, { error: 'unavailable' })
  sendJson(response, 200, { data: offer.payable() })
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', ...headers })
    .end(JSON.stringify(body))
}
