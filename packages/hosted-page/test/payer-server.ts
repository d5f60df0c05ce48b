import { readdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { text } from 'node:stream/consumers'
import type { HostedPayable } from '@cobro/contracts'
import { type Offer, openOffer } from './offer.ts'

export interface PayerServer {
  readonly origin: string
  /** Creates a payable with its own address, so that tests do not interfere. */
  offer(payable: HostedPayable): Offer
  stop(): Promise<void>
}

const dist = new URL('../dist/', import.meta.url)

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Serves the built page as the checkout service does, and the API as a test defines it. */
export async function startPayerServer(): Promise<PayerServer> {
  const page = await readFile(new URL('index.html', dist))
  const assets = new Map<string, Buffer>()
  for (const name of await readdir(new URL('assets/', dist)))
    assets.set(name, await readFile(new URL(`assets/${name}`, dist)))

  const offers = new Map<string, Offer>()
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const [, first = '', second = ''] = path.split('/')
    if (first === 'shop') return response.setHeader('content-type', 'text/html').end('<h1>Gracias</h1>')
    if (second === 'assets') return sendAsset(response, path.split('/')[3] ?? '', assets)
    if (first !== 'hosted') return sendPage(response, offers.get(path.split('/').at(-1) ?? ''), page)
    void answer(request, response, path.split('/').slice(4), offers)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
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

/** The content security policy that the checkout service sends, as the acceptance tests verify. */
function sendPage(response: ServerResponse, offer: Offer | undefined, page: Buffer): void {
  const logo = offer?.payable().logo_url
  const images = logo ? `'self' ${new URL(logo).origin}` : "'self'"
  response
    .writeHead(offer ? 200 : 404, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${images}; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    })
    .end(page)
}

function sendAsset(response: ServerResponse, name: string, assets: Map<string, Buffer>): void {
  const asset = assets.get(name)
  response
    .writeHead(asset ? 200 : 404, {
      'Content-Type': types[extname(name)] ?? 'application/octet-stream',
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
