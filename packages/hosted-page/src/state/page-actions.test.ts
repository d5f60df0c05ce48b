import type { HostedPayable } from '@cobro/contracts'
import type { PayAnswer, PayBody, ReadAnswer } from '../api/hosted-api.ts'
import type { CardPurpose } from '../cards/encrypt-card.ts'
import { type ActionDeps, cancel, pay, refresh } from './page-actions.ts'
import { initialState } from './page-state.ts'
import { pageStore } from './page-store.ts'
import { sampleSession, sampleTime } from './session-sample.ts'

const card = { number: '4242 4242 4242 4242', expiry: '12 / 30', cvc: '123', holder: 'Ana', email: 'ana@example.com' }

/** A page with a filled form, and a service that returns these answers in order. */
async function page(answers: PayAnswer[], session: Partial<HostedPayable> = {}) {
  const sent: { body: PayBody; key: string }[] = []
  const purposes: CardPurpose[] = []
  const service = { session: sampleSession(session), cancelled: 'unavailable' as 'unavailable' | 'cancelled' }
  const read = async (): Promise<ReadAnswer> => ({ kind: 'session', session: service.session })
  let keys = 0
  const deps: ActionDeps = {
    api: {
      read,
      pay: async (body, key) => {
        sent.push({ body, key })
        return answers.shift() ?? { kind: 'unclear' }
      },
      cancel: async () => {
        if (service.cancelled === 'unavailable') return { kind: 'unavailable' }
        service.session = sampleSession({ status: 'cancelled' })
        return read()
      },
    },
    store: pageStore(initialState('es', 0), () => undefined),
    encryptCard: async (key, { number }, purpose) => {
      purposes.push(purpose)
      return `${key.kid}.${number.slice(-4)}`
    },
    newKey: () => `key-${++keys}`,
    wait: async () => undefined,
    clock: () => sampleTime,
  }
  await refresh(deps)
  for (const [field, value] of Object.entries(card)) {
    deps.store.move({ type: 'typed', field: field as keyof typeof card, value })
  }
  return { deps, sent, service, purposes }
}

test('sends the encrypted card and the displayed terms, and never a plain field of the card', async () => {
  const { deps, sent } = await page([{ kind: 'approved', redirectUrl: undefined }])
  await pay(deps)
  expect(sent).toEqual([
    {
      key: 'key-1',
      body: { method: 'card', card_jwe: 'k1.4242', amount_cents: 25000, payer_email: 'ana@example.com' },
    },
  ])
  expect(deps.store.state().session?.status).toBe('completed')
})

test('sends a cash payment without a card and shows its voucher', async () => {
  const voucher = { reference: '93000012345678', barcode: '93000012345678', due_at: '2026-06-19T05:59:00.000Z' }
  const { deps, sent } = await page([{ kind: 'unclear' }, { kind: 'pending', voucher }], {
    payment_method_types: ['card', 'cash'],
  })
  deps.store.move({ type: 'chosen', method: 'cash' })
  await pay(deps)
  const body = { method: 'cash', amount_cents: 25000, payer_email: 'ana@example.com' }
  expect(sent).toEqual([
    { key: 'key-1', body },
    { key: 'key-1', body },
  ])
  expect(deps.store.state().session?.voucher).toEqual(voucher)
})

test('sends one payment for a double click', async () => {
  const { deps, sent } = await page([{ kind: 'pending' }])
  await Promise.all([pay(deps), pay(deps)])
  expect(sent).toHaveLength(1)
})

test('repeats a payment whose answer was lost under the same idempotency key, at most twice', async () => {
  const { deps, sent } = await page([{ kind: 'unclear' }, { kind: 'unclear' }, { kind: 'pending' }])
  await pay(deps)
  expect(sent.map(({ key }) => key)).toEqual(['key-1', 'key-1', 'key-1'])
  expect(deps.store.state().activity).toBe('waiting')
})

test('sends each click under its own idempotency key', async () => {
  const { deps, sent } = await page([{ kind: 'failed' }, { kind: 'pending' }])
  await pay(deps)
  deps.store.move({ type: 'typed', field: 'cvc', value: '123' })
  await pay(deps)
  expect(sent.map(({ key }) => key)).toEqual(['key-1', 'key-2'])
})

test('encrypts the card again when the acquirer has replaced its key', async () => {
  const { deps, sent, service } = await page([{ kind: 'refused', status: 400 }, { kind: 'pending' }])
  service.session = sampleSession({ card_encryption_key: { kty: 'RSA', kid: 'k2' } })
  await pay(deps)
  expect(sent.map(({ body }) => 'card_jwe' in body && body.card_jwe)).toEqual(['k1.4242', 'k2.4242'])
})

test('does not send a card again that was rejected under the current key', async () => {
  const { deps, sent } = await page([{ kind: 'refused', status: 400 }])
  await pay(deps)
  expect(sent).toHaveLength(1)
  expect(deps.store.state().notice).toEqual({ kind: 'refused' })
})

test('encrypts the card for the amount that the payer saw, at the time of the server', async () => {
  const { deps, purposes } = await page([{ kind: 'pending' }], { now: sampleTime - 3_600_000 })
  await pay(deps)
  const { id: payable_id, currency } = sampleSession()
  const iat = Math.floor((sampleTime - 3_600_000) / 1000)
  expect(purposes).toEqual([{ payable_id, amount_cents: 25_000, currency, iat }])
})

test('encrypts the card again when the clock of the page stood still', async () => {
  const { deps, sent, service, purposes } = await page([{ kind: 'refused', status: 400 }, { kind: 'pending' }])
  service.session = sampleSession({ now: sampleTime + 900_000, amount_total: 99_000 })
  await pay(deps)
  expect(sent.map(({ body }) => body.amount_cents)).toEqual([25_000, 25_000])
  expect(purposes.map(({ iat }) => iat - Math.floor(sampleTime / 1000))).toEqual([0, 900])
})

test('sends no payment until the encryption key is available', async () => {
  const { deps, sent, service } = await page([{ kind: 'pending' }], { card_encryption_key: null })
  await pay(deps)
  expect(sent).toHaveLength(0)
  expect(deps.store.state().notice).toEqual({ kind: 'service_unavailable' })
  service.session = sampleSession()
  await pay(deps)
  expect(sent).toHaveLength(1)
})

test('sends no payment from a browser that cannot encrypt', async () => {
  const { deps, sent } = await page([])
  await pay({ ...deps, encryptCard: () => Promise.reject(new Error('no crypto.subtle')) })
  expect(sent).toHaveLength(0)
  expect(deps.store.state().notice).toEqual({ kind: 'not_encrypted' })
})

test('shows the current session after a failed cancel', async () => {
  const { deps, service } = await page([])
  service.session = sampleSession({ in_progress: true })
  await cancel(deps)
  expect(deps.store.state()).toMatchObject({ activity: 'idle', session: { in_progress: true } })
})

test('shows the session as cancelled after a cancel', async () => {
  const { deps, service } = await page([])
  service.cancelled = 'cancelled'
  await cancel(deps)
  expect(deps.store.state()).toMatchObject({ leaving: true, session: { status: 'cancelled' } })
})

test('sends no payment while a field of the form is invalid', async () => {
  const { deps, sent } = await page([{ kind: 'pending' }])
  deps.store.move({ type: 'typed', field: 'cvc', value: '' })
  await pay(deps)
  expect(sent).toHaveLength(0)
})

test('sends no cancel while a payment is being sent', async () => {
  const { deps } = await page([{ kind: 'pending' }])
  let cancels = 0
  const counted = async (): Promise<ReadAnswer> => {
    cancels++
    return { kind: 'unavailable' }
  }
  const paying = pay(deps)
  await cancel({ ...deps, api: { ...deps.api, cancel: counted } })
  await paying
  expect(cancels).toBe(0)
})

test('does not send a rejected card again when the current key cannot be read', async () => {
  const { deps, sent } = await page([{ kind: 'refused', status: 400 }, { kind: 'pending' }])
  await pay({ ...deps, api: { ...deps.api, read: async () => ({ kind: 'unavailable' }) } })
  expect(sent).toHaveLength(1)
})
