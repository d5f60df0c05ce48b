import { randomUUID } from 'node:crypto'
import { waitFor } from '@cobro/testing'
import { CompactEncrypt, importJWK } from 'jose'
import type { Acquirer, AcquirerNotification, ChargeOutcome, Headers } from '../../src/index.ts'

/** An adapter, the acquirer behind it, and the controls that the tests need. */
export interface AcquirerUnderTest {
  acquirer: Acquirer
  /** The same adapter with a timeout below the `late` card's delay; by default `acquirer`. */
  impatient?: Acquirer
  /** Pays a voucher as the payer at the counter would. */
  payVoucher(reference: string): Promise<unknown>
  /** Returns every notification received so far, unparsed. */
  received(): readonly { body: Uint8Array; headers: Headers }[]
  /** Ends the delay of the charges of the `late` card; by default they end by themselves. */
  settleLate?(): Promise<unknown>
  /** The same adapter, configured with an address where no server listens. */
  unreachable: Acquirer
  stop(): Promise<unknown>
}

/** Test cards by the behavior of their charges. Tests of a missing card are reported as skipped. */
export interface TestCards {
  approved: string
  declined: string
  /** The response arrives after the timeout of the `impatient` adapter. */
  late?: string
  /** The acquirer takes the charge and cuts the connection instead of responding. */
  cut?: string
  /** The charge is approved, the refund fails. */
  unrefundable?: string
  /** The charge is approved, and disputed soon after. */
  disputed?: string
}

/** What every suite uses: the harness from `start`, its acquirer and the test cards. */
export interface ConformanceContext {
  harness(): AcquirerUnderTest
  acquirer(): Acquirer
  impatient(): Acquirer
  cards: TestCards
}

export const money = { amount_cents: 25_000, currency: 'MXN' }

/** Returns an unused key. */
export const newKey = () => `conformance_${randomUUID()}`

/** Runs `work` twenty times concurrently. */
export const twentyAtOnce = <T>(work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: 20 }, () => work()))

/** Tokenizes a test card, encrypted as the payer's page would encrypt it. */
export async function tokenOf({ acquirer }: ConformanceContext, number: string): Promise<string> {
  return (await acquirer().tokenize(await encryptedCard(acquirer(), number), cardPayment)).token
}

/** The payment that cards are encrypted for. */
export const cardPayment = { payable_id: 'cs_conformance', ...money, attempt: 'pi_conformance:1' }

/** Encrypts a card as the payer's page does. */
export async function encryptedCard(acquirer: Acquirer, number: string): Promise<string> {
  const key = await acquirer.encryptionKey()
  const { attempt: _attempt, ...payment } = cardPayment
  const purpose = { ...payment, iat: Math.floor(Date.now() / 1000), jti: randomUUID() }
  const card = { number, exp_month: 12, exp_year: 2099, cvc: '123', holder_name: 'Ana Prueba', ...purpose }
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(card)))
    .setProtectedHeader({ alg: key.alg, enc: 'A256GCM', kid: key.kid })
    .encrypt(await importJWK(key, key.alg))
}

/** Charges a test card under a new key. */
export async function charged(
  context: ConformanceContext,
  number: string,
  adapter = context.acquirer(),
): Promise<{ key: string; outcome: ChargeOutcome }> {
  const key = newKey()
  const outcome = await adapter.charge({ key, token: await tokenOf(context, number), ...money })
  if (outcome.status === 'not_found') throw new Error('The charge was not found.')
  return { key, outcome }
}

/** Waits for the first notification that matches, ignoring repeated and unrelated ones. */
export function notificationThat(
  context: ConformanceContext,
  matches: (notification: AcquirerNotification) => boolean,
): Promise<AcquirerNotification> {
  return waitFor(async () => {
    for (const { body, headers } of context.harness().received()) {
      const notification = await context.acquirer().readNotification(body, headers)
      if (notification && matches(notification)) return notification
    }
    return undefined
  })
}

/** Returns a request's outcome; asks again while a busy acquirer's timeout leaves it unknown. */
export async function knownOutcome<O extends { status: string; acquirer_reference?: string | null }>(
  first: Promise<O>,
  again: () => Promise<O>,
): Promise<O> {
  const isKnown = ({ status, acquirer_reference }: O) =>
    status !== 'not_found' && (status !== 'processing' || acquirer_reference != null)
  const outcome = await first
  if (isKnown(outcome)) return outcome
  return waitFor(async () => {
    const next = await again()
    return isKnown(next) ? next : undefined
  }) as Promise<O>
}
