import type { ServerResponse } from 'node:http'
import type { HostedPayable } from '@cobro/contracts'
import { checked } from './payables.ts'
import { neverAnswered, type PaymentScript } from './payment-scripts.ts'

interface Payment {
  readonly key: string | string[] | undefined
  readonly body: string
}

/** Something that is up for payment, as a test directs it and as the page's calls see it. */
export interface Offer {
  /** The page's address. */
  readonly url: string
  readonly payable: () => HostedPayable
  /** Changes it and tells those who follow it. */
  readonly change: (changes: Partial<HostedPayable>) => void
  /** What the next payments come to, in their order. One without a script is never answered. */
  readonly scripts: PaymentScript[]
  readonly payments: Payment[]
  /** How reads are answered; `silent` ones not at all. */
  readStatus: number | 'silent'
  reads: number
  /** How the stream is answered; `closed` opens it and ends it at once. */
  streamStatus: number | 'closed'
  /** How often the stream was asked for. */
  streams: number
  readonly openStreams: () => number
  /** Breaks all connections that follow it. */
  readonly cut: () => void
  readonly take: (payment: Payment) => PaymentScript
  readonly stream: (response: ServerResponse) => void
}

export function openOffer(origin: string, first: HostedPayable, number: number): Offer {
  const id = first.id.slice(0, -4) + String(number).padStart(4, '0')
  let current = checked({ ...first, id })
  const followers = new Set<ServerResponse>()
  const tell = (response: ServerResponse) => {
    response.write(`event: payable\ndata: ${JSON.stringify(current)}\n\n`)
    if (current.status !== 'pending') response.end()
  }
  const offer: Offer = {
    url: `${origin}/${first.kind === 'link' ? 'links' : 'checkout'}/${id}`,
    payable: () => current,
    change: changes => {
      current = checked({ ...current, ...changes })
      for (const response of followers) tell(response)
    },
    scripts: [],
    payments: [],
    readStatus: 200,
    reads: 0,
    streamStatus: 200,
    streams: 0,
    openStreams: () => followers.size,
    cut: () => {
      for (const response of followers) response.destroy()
    },
    take: payment => {
      const script = offer.scripts[offer.payments.push(payment) - 1] ?? neverAnswered
      if (script.change) offer.change(script.change)
      return script
    },
    stream: response => {
      offer.streams++
      const { streamStatus } = offer
      if (typeof streamStatus === 'number' && streamStatus !== 200)
        return void response.writeHead(streamStatus, { 'Content-Type': 'application/json' }).end('{}')
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
      if (streamStatus === 'closed') return void response.end()
      followers.add(response)
      response.on('close', () => followers.delete(response))
      response.write(': \n\n')
      tell(response)
    },
  }
  return offer
}
