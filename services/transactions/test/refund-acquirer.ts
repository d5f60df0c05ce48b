import type { IncomingMessage, ServerResponse } from 'node:http'
import { noticeSender } from './notification-sender.ts'

/** How the acquirer takes what comes: as it should, hanging up once it was taken, or not at all. */
export type Manner = 'well' | 'hangs_up' | 'breaks'

/**
 * An acquirer as far as refunds go: it takes each key once, gives a payment back once, and tells of it by a notice until that is
 * taken. `pass` is asked before it takes a refund and before it answers: anything but `go` ends the call there.
 */
export async function refundAcquirer(options: {
  pass?: (label: string) => 'go' | 'before' | 'after'
  tell: (notice: { body: Buffer; signature: string }) => Promise<number>
}) {
  const { pass = () => 'go', tell } = options
  const keys = new Map<string, { charge: string; status: 'completed' | 'reversed' }>()
  const state = { manner: 'well' as Manner, calls: 0, given: new Map<string, number>() }
  const telling = new Set<Promise<void>>()
  let closed = false

  const told = (key: string) => ({ key, reference: `rf_${key}`, failure_code: null })
  const notify = async (key: string) => {
    const notice = await sender.sign('refund.completed', { ...told(key), status: 'completed' }, { id: `ntf_${key}` })
    while (!closed && (await tell(notice).catch(() => 0)) !== 200) await new Promise(resolve => setTimeout(resolve, 50))
  }
  const take = (key: string, charge: string) => {
    if (keys.has(key)) return
    keys.set(key, { charge, status: 'completed' })
    state.given.set(charge, (state.given.get(charge) ?? 0) + 1)
    const work = notify(key)
    telling.add(work)
    void work.finally(() => telling.delete(work))
  }
  const answerFor = (key: string) => {
    const known = keys.get(key)
    if (!known) return { key, status: 'not_found' }
    return { ...told(key), status: known.status === 'reversed' ? 'failed' : 'processing' }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse, body: string): Promise<boolean> => {
    const [, rest] = /^\/v1\/refunds(?:\/(.+))?$/.exec(request.url ?? '') ?? [undefined, undefined]
    if (!request.url?.startsWith('/v1/refunds')) return false
    state.calls += 1
    const answer = (json: object) => void response.writeHead(200).end(JSON.stringify(json))
    if (state.manner === 'breaks') return hangUp(request)
    if (rest === undefined) {
      const key = String(request.headers['idempotency-key'])
      if (pass('the acquirer is asked') === 'before') return hangUp(request)
      take(key, JSON.parse(body).charge_key)
      if (state.manner === 'hangs_up' || pass('the acquirer answers') === 'before') return hangUp(request)
      answer(answerFor(key))
      return true
    }
    const [key = '', ending] = rest.split('/').map(decodeURIComponent)
    if (ending === 'reverse' && !keys.has(key)) keys.set(key, { charge: '', status: 'reversed' })
    if (ending === 'reverse' && keys.get(key)?.status === 'reversed') answer({ key, status: 'reversed' })
    else answer(answerFor(key))
    return true
  }
  const sender = await noticeSender(handle)
  return {
    url: sender.url,
    state,
    close: async () => {
      closed = true
      await Promise.all(telling)
      await sender.close()
    },
  }
}

function hangUp(request: IncomingMessage): true {
  request.socket.destroy()
  return true
}
