import type { IncomingMessage, ServerResponse } from 'node:http'
import { notificationSender } from './notification-sender.ts'

/** The acquirer's response: normal, or hanging up after or before it accepted the request. */
export type Manner = 'well' | 'hangs_up' | 'breaks'

/**
 * A fake acquirer for refunds. It accepts each key once, and repeats notifications until accepted.
 * It calls `pass` before it accepts a refund and before it responds, and hangs up on the result `before`.
 */
export async function refundAcquirer(options: {
  pass?: (label: string) => 'go' | 'before' | 'after'
  notify: (notification: { body: Buffer; signature: string }) => Promise<number>
}) {
  const { pass = () => 'go' } = options
  const keys = new Map<string, { charge: string; status: 'completed' | 'reversed' }>()
  const state = { manner: 'well' as Manner, calls: 0, refundsOf: new Map<string, number>() }
  const pendingNotifications = new Set<Promise<void>>()
  let gate: { arrive: () => void; released: Promise<void> } | undefined
  let closed = false

  const refundOf = (key: string) => ({ key, reference: `rf_${key}`, failure_code: null })
  const notifyUntilAccepted = async (key: string) => {
    const notification = await sender.sign(
      'refund.completed',
      { ...refundOf(key), status: 'completed' },
      { id: `ntf_${key}` },
    )
    while (!closed && (await options.notify(notification).catch(() => 0)) !== 200)
      await new Promise(resolve => setTimeout(resolve, 50))
  }
  const accept = (key: string, charge: string) => {
    if (keys.has(key)) return
    keys.set(key, { charge, status: 'completed' })
    state.refundsOf.set(charge, (state.refundsOf.get(charge) ?? 0) + 1)
    const work = notifyUntilAccepted(key)
    pendingNotifications.add(work)
    void work.finally(() => pendingNotifications.delete(work))
  }
  const answerFor = (key: string) => {
    const known = keys.get(key)
    if (!known) return { key, status: 'not_found' }
    return { ...refundOf(key), status: known.status === 'reversed' ? 'failed' : 'processing' }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse, body: string): Promise<boolean> => {
    const [, rest] = /^\/v1\/refunds(?:\/(.+))?$/.exec(request.url ?? '') ?? [undefined, undefined]
    if (!request.url?.startsWith('/v1/refunds')) return false
    gate?.arrive()
    await gate?.released
    state.calls += 1
    const answer = (json: object) => void response.writeHead(200).end(JSON.stringify(json))
    if (state.manner === 'breaks') return hangUp(request)
    if (rest === undefined) {
      const key = String(request.headers['idempotency-key'])
      if (pass('the acquirer receives a request') === 'before') return hangUp(request)
      accept(key, JSON.parse(body).charge_key)
      if (state.manner === 'hangs_up' || pass('the acquirer responds') === 'before') return hangUp(request)
      answer(answerFor(key))
      return true
    }
    const [key = '', ending] = rest.split('/').map(decodeURIComponent)
    if (ending === 'reverse' && !keys.has(key)) keys.set(key, { charge: '', status: 'reversed' })
    if (ending === 'reverse' && keys.get(key)?.status === 'reversed') answer({ key, status: 'reversed' })
    else answer(answerFor(key))
    return true
  }
  const sender = await notificationSender(handle)
  return {
    url: sender.url,
    state,
    /** Lets requests wait until `release` is called. `arrived` resolves with the first of them. */
    hold: () => {
      const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
      const { promise: released, resolve: open } = Promise.withResolvers<void>()
      gate = { arrive, released }
      const release = () => {
        gate = undefined
        open()
      }
      return { arrived, release }
    },
    close: async () => {
      closed = true
      await Promise.all(pendingNotifications)
      await sender.close()
    },
  }
}

function hangUp(request: IncomingMessage): true {
  request.socket.destroy()
  return true
}
