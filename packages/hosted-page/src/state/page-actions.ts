import type { HostedPayable } from '@cobro/contracts'
import type { JWK } from 'jose'
import type { HostedApi, PaidWith, PayAnswer, PayBody } from '../api/hosted-api.ts'
import { cardOf } from '../cards/card-checks.ts'
import type { encryptCard } from '../cards/encrypt-card.ts'
import { methodOf, type Notice } from './page-state.ts'
import type { PageStore } from './page-store.ts'

export interface ActionDeps {
  readonly api: HostedApi
  readonly store: PageStore
  readonly encryptCard: typeof encryptCard
  readonly newKey: () => string
  readonly wait: (ms: number) => Promise<void>
  readonly clock: () => number
}

/** Reads the payable and shows it. */
export async function refresh({ api, store, clock }: Pick<ActionDeps, 'api' | 'store' | 'clock'>): Promise<void> {
  const answer = await api.read()
  store.move({ type: 'read', answer, at: clock() })
}

/** Sends the payment once, however often it is called meanwhile. */
export async function pay(deps: ActionDeps): Promise<void> {
  const { store, api, clock } = deps
  if (store.state().activity !== 'idle') return
  store.move({ type: 'submitted' })
  const { session, activity } = store.state()
  if (!session || activity !== 'sending') return

  const byCash = methodOf(store.state()) === 'cash'
  const answer = byCash ? await sendUntilAnswered(deps, session, { method: 'cash' }) : await payByCard(deps, session)
  if ('notice' in answer) return store.move({ type: 'stopped', notice: answer.notice })
  if (answer.kind === 'approved' || answer.kind === 'pending') return store.move({ type: 'paid', answer, at: clock() })
  const read = await api.read()
  store.move({ type: 'paid', answer, read, at: clock() })
}

/** Cancels the payment. */
export async function cancel({ store, api, newKey, clock }: Omit<ActionDeps, 'encryptCard' | 'wait'>): Promise<void> {
  if (store.state().activity !== 'idle') return
  store.move({ type: 'cancelling' })
  const answer = await api.cancel(newKey())
  // A payment that is in progress elsewhere prevents it; the page then has to show that payment.
  store.move({ type: 'cancelled', answer: answer.kind === 'session' ? answer : await api.read(), at: clock() })
}

type Sent = PayAnswer | { readonly notice: Notice }

/** A difference to the server's clock that is too large for the delay of a call. */
const clockDriftMs = 60_000

/**
 * Pays by card. Encrypts it once more if the acquirer rejects it because of a key rotation, or
 * because this clock stood still while the device slept.
 */
async function payByCard(deps: ActionDeps, session: HostedPayable): Promise<Sent> {
  const now = deps.clock() + deps.store.state().clockOffset
  const sent = await encryptAndSend(deps, session, now)
  const unreadable = 'kind' in sent && sent.kind === 'refused' && sent.status === 400
  if (!unreadable && session.card_encryption_key) return sent
  const read = await deps.api.read()
  if (read.kind !== 'session') return sent
  const { card_encryption_key, now: serverNow } = read.session
  const isSameKey = card_encryption_key?.kid === session.card_encryption_key?.kid
  if (isSameKey && Math.abs(serverNow - now) < clockDriftMs) return sent
  return encryptAndSend(deps, { ...session, card_encryption_key }, serverNow)
}

async function encryptAndSend(deps: ActionDeps, session: HostedPayable, now: number): Promise<Sent> {
  const card = cardOf(deps.store.state().fields)
  const key = session.card_encryption_key
  if (!card || !key) return { notice: { kind: 'service_unavailable' } }
  const { id, amount_total: amount_cents, currency } = session
  const purpose = { payable_id: id, amount_cents, currency, iat: Math.floor(now / 1000) }
  const jwe = await deps.encryptCard(key as JWK, card, purpose).catch(() => undefined)
  if (!jwe) return { notice: { kind: 'not_encrypted' } }
  return sendUntilAnswered(deps, session, { method: 'card', card_jwe: jwe })
}

const retryDelaysMs = [1000, 3000]

/**
 * Sends the payment as the payer saw it when they clicked. Each click has one idempotency key, so
 * that a call whose answer was lost can be repeated without paying twice.
 */
async function sendUntilAnswered(deps: ActionDeps, session: HostedPayable, paidWith: PaidWith): Promise<PayAnswer> {
  const { api, newKey, wait, store } = deps
  const email = store.state().fields.email.trim()
  const body: PayBody = { ...paidWith, amount_cents: session.amount_total, ...(email && { payer_email: email }) }
  const key = newKey()
  let answer = await api.pay(body, key)
  for (const delayMs of retryDelaysMs) {
    if (answer.kind !== 'unclear') return answer
    await wait(delayMs)
    answer = await api.pay(body, key)
  }
  return answer
}
