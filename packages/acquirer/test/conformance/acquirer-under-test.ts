import { randomUUID } from 'node:crypto'
import { waitFor } from '@cobro/testing'
import { CompactEncrypt, importJWK } from 'jose'
import type { Acquirer, Headers, Notice, Outcome } from '../../src/index.ts'

/** An adapter, the acquirer that it speaks to, and what a test has to be able to do with that. */
export interface AcquirerUnderTest {
  acquirer: Acquirer
  /** Pays a voucher as the payer at the counter would. */
  payVoucher(reference: string): Promise<unknown>
  /** Every notice that has come in so far, as it came. */
  received(): readonly { body: Uint8Array; headers: Headers }[]
  /** The same adapter, speaking to an address where nobody listens. */
  unreachable: Acquirer
  stop(): Promise<unknown>
}

/** Test cards by how their charge goes. What an acquirer has no card for is left out, and its tests are shown as skipped. */
export interface TestCards {
  approved: string
  declined: string
  /** Its answer comes later than the adapter waits. */
  late?: string
  /** Its charge is taken, and the connection cut instead of an answer. */
  cut?: string
  /** Its charge is approved, its refund fails. */
  unrefundable?: string
  /** Its charge is approved, and disputed soon after. */
  disputed?: string
}

/** What the suites work with: the harness that `start` gave, and a few things that all of them do. */
export interface Bench {
  under(): AcquirerUnderTest
  acquirer(): Acquirer
  cards: TestCards
}

export const money = { amount_cents: 25_000, currency: 'MXN' }

/** A key that nobody has used. */
export const newKey = () => `conformance_${randomUUID()}`

/** Runs `work` twenty times at once. */
export const twentyAtOnce = <T>(work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: 20 }, () => work()))

/** The token of a test card, encrypted as a payer's page would. */
export async function tokenOf({ acquirer }: Bench, number: string): Promise<string> {
  return (await acquirer().tokenize(await encryptedCard(acquirer(), number))).token
}

/** A card as a payer's page encrypts it. */
export async function encryptedCard(acquirer: Acquirer, number: string): Promise<string> {
  const key = await acquirer.encryptionKey()
  const card = { number, exp_month: 12, exp_year: 2099, cvc: '123', holder_name: 'Ana Prueba' }
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(card)))
    .setProtectedHeader({ alg: key.alg, enc: 'A256GCM', kid: key.kid })
    .encrypt(await importJWK(key, key.alg))
}

/** Charges a test card under a key of its own. */
export async function charged(bench: Bench, number: string): Promise<{ key: string; outcome: Outcome }> {
  const key = newKey()
  const outcome = await bench.acquirer().charge({ key, token: await tokenOf(bench, number), ...money })
  if (outcome.status === 'not_found') throw new Error('The charge was not found.')
  return { key, outcome }
}

/** The first notice that fits. Those that come twice, or are about something else, do not matter. */
export function noticeThat(bench: Bench, fits: (notice: Notice) => boolean): Promise<Notice> {
  return waitFor(async () => {
    for (const { body, headers } of bench.under().received()) {
      const notice = await bench.acquirer().readNotice(body, headers)
      if (notice && fits(notice)) return notice
    }
    return undefined
  })
}
