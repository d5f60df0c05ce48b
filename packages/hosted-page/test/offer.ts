import type { ServerResponse } from 'node:http'
import type { HostedPayable } from '@cobro/contracts'
import { checked } from './payables.ts'
import { neverAnswered, type PaymentScript } from './payment-scripts.ts'

interface Payment {
  readonly key: string | string[] | undefined
  readonly body: string
}

/** A payable that a test controls and the page's calls see. */
export interface Offer {
  /** The page's address. */
  readonly url: string
  readonly payable: () => HostedPayable
  /** Changes it and notifies the open streams. */
  readonly change: (changes: Partial<HostedPayable>) => void
  /** The outcomes of the next payments, in order. A payment without a script is never answered. */
  readonly scripts: PaymentScript[]
  readonly payments: Payment[]
  /** How reads are answered; `silent` ones never. */
  readStatus: number | 'silent'
  /** How the stream is answered: `closed` opens and ends it at once, `silent` sends nothing. */
  streamStatus: number | 'closed' | 'silent'
  /** The number of stream requests. */
  streams: number
  /** Leaves a finished stream open for the page to close. */
  holdOpen: boolean
  /** Resolves once this many streams are open. */
  readonly followedBy: (count: number) => Promise<void>
  /** Resolves once this many payments have arrived. */
  readonly paidBy: (count: number) => Promise<void>
  /** Breaks all open streams. */
  readonly cut: () => void
  readonly take: (payment: Payment) => PaymentScript
  readonly stream: (response: ServerResponse) => void
}

export function openOffer(origin: string, first: HostedPayable, number: number): Offer {
  const id = first.id.slice(0, -4) + String(number).padStart(4, '0')
  let current = checked({ ...first, id })
  const followers = new Set<ServerResponse>()
  const waiting = new Set<() => void>()
  const tell = (response: ServerResponse) => {
    response.write(`event: payable\ndata: ${JSON.stringify(current)}\n\n`)
    if (current.status !== 'pending' && !offer.holdOpen) response.end()
  }
  const look = () => {
    for (const tryIt of waiting) tryIt()
  }
  const once = (holds: () => boolean) =>
    new Promise<void>(resolve => {
      const tryIt = () => {
        if (holds() && waiting.delete(tryIt)) resolve()
      }
      waiting.add(tryIt)
      tryIt()
    })
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
    streamStatus: 200,
    streams: 0,
    holdOpen: false,
    followedBy: count => once(() => followers.size === count),
    paidBy: count => once(() => offer.payments.length >= count),
    cut: () => {
      for (const response of followers) response.destroy()
    },
    take: payment => {
      const script = offer.scripts[offer.payments.push(payment) - 1] ?? neverAnswered
      if (script.change) offer.change(script.change)
      look()
      return script
    },
    stream: response => {
      offer.streams++
      const { streamStatus } = offer
      if (streamStatus === 'silent') return
      if (typeof streamStatus === 'number' && streamStatus !== 200)
        return void response.writeHead(streamStatus, { 'Content-Type': 'application/json' }).end('{}')
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
      if (streamStatus === 'closed') return void response.end()
      followers.add(response)
      response.on('close', () => {
        followers.delete(response)
        look()
      })
      response.write(': \n\n')
      tell(response)
      look()
    },
  }
  return offer
}
