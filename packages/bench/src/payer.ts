import { setTimeout as sleep } from 'node:timers/promises'
import { encryptTestCard } from '@cobro/local-stack'
import { Pool } from 'undici'

/** A system that payments are made with. */
export interface PaymentSystem {
  url: string
  headers: Record<string, string>
  /** The public key to encrypt cards with. */
  cardKey: object
  /** The path to create a session. */
  sessions: string
  /** The path to pay a session, and the body beside the encrypted card. */
  payment: (session: Session) => { path: string; body: object }
}

interface Session {
  id: string
}

/** The times of payments in milliseconds. */
export interface PaymentTimes {
  createMs: number[]
  payMs: number[]
  seconds: number
}

const amount_total = 25_000

/** How many payments are made at once, and when to stop: after a time, or after a number of payments. */
export interface PaymentLoad {
  concurrent: number
  seconds?: number
  payments?: number
  /** How many begin in a second, if they are not made as fast as possible. */
  perSecond?: number
}

/** Until the code of every process is compiled: the first 250 payments take 40 % more CPU time than later ones. */
export const warmUp: PaymentLoad = { concurrent: 16, payments: 1_000 }

/** Creates and pays sessions, a number at once. Throws if one is not approved. */
export async function makePayments(
  system: PaymentSystem,
  { concurrent, seconds = Infinity, payments = Infinity, perSecond = Infinity }: PaymentLoad,
  signal: AbortSignal,
): Promise<PaymentTimes> {
  const pool = new Pool(system.url, { connections: concurrent })
  const times: PaymentTimes = { createMs: [], payMs: [], seconds: 0 }
  const startMs = performance.now()
  let begun = 0
  const payer = async () => {
    while (performance.now() - startMs < seconds * 1000 && begun++ < payments) {
      signal.throwIfAborted()
      const waitMs = startMs + (begun * 1000) / perSecond - performance.now()
      if (waitMs > 0) await sleep(waitMs, undefined, { signal })
      await makePayment(system, pool, times)
    }
  }
  await Promise.all(Array.from({ length: concurrent }, payer))
  times.seconds = (performance.now() - startMs) / 1000
  await pool.close()
  return times
}

async function makePayment(system: PaymentSystem, pool: Pool, { createMs, payMs }: PaymentTimes): Promise<void> {
  const startMs = performance.now()
  const session = await post(
    pool,
    system.sessions,
    { amount_total, return_url: 'https://shop.example' },
    system.headers,
  )
  createMs.push(performance.now() - startMs)
  const hosted = { id: session.id, amount_total, currency: 'MXN', now: Date.now(), card_encryption_key: system.cardKey }
  const card_jwe = await encryptTestCard(hosted as Parameters<typeof encryptTestCard>[0], '4242424242424242')
  const { path, body } = system.payment(session)
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const sentMs = performance.now()
  const { status } = await post(pool, path, { method: 'card', card_jwe, ...body }, headers)
  if (status !== 'approved') throw new Error(`A payment was not approved: ${status}.`)
  payMs.push(performance.now() - sentMs)
}

// biome-ignore lint/suspicious/noExplicitAny: the answers differ by path.
async function post(pool: Pool, path: string, body: object, headers: Record<string, string>): Promise<any> {
  const content = { 'content-type': 'application/json', ...headers }
  const answer = await pool.request({ method: 'POST', path, headers: content, body: JSON.stringify(body) })
  const result = await answer.body.json()
  if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode}: ${JSON.stringify(result)}`)
  return result
}

/** Of each payment: that its session is opened, that it is approved, and that the session is completed. */
const webhooksEach = 3

/** Makes payments, and waits until their webhooks are received. */
export async function makeWholePayments(
  system: PaymentSystem,
  load: PaymentLoad,
  { received, signal }: { received: () => number; signal: AbortSignal },
): Promise<PaymentTimes> {
  const before = received()
  const times = await makePayments(system, load, signal)
  while (received() < before + webhooksEach * times.payMs.length) await sleep(100)
  await untilSteady(received)
  return times
}

/** Waits until a number does not change for a second. */
export async function untilSteady(read: () => number | Promise<number>): Promise<void> {
  for (let last = Number.NaN, now = await read(); now !== last; now = await read()) {
    last = now
    await sleep(1_000)
  }
}
