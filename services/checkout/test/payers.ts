import type { CommandData, EventData, Id, PayableId } from '@cobro/contracts'
import { type Database, inboxOf, migrate, openDatabase } from '@cobro/database'
import { keyCaller } from '@cobro/http/test-identity'
import { createLogger } from '@cobro/runtime'
import { migratedDatabase } from '@cobro/testing'
import { migrations } from '../migrations/all-checkout.ts'
import { openSession } from '../src/checkout-sessions/open-session.ts'
import { type AttemptOutcomes, attemptOutcomes } from '../src/payment-attempts/attempt-outcomes.ts'
import { payPayable } from '../src/payment-attempts/pay-payable.ts'
import { openLink } from '../src/payment-links/open-link.ts'
import { entities, schema } from '../src/start-checkout.ts'
import { defaultLimits, type VelocityLimits } from '../src/velocity-rules/velocity-settings.ts'
import { outcomeMessage } from './checkout-under-test.ts'

const logger = createLogger('checkout', 'silent')
const rules = { environment: 'sandbox', currencies: ['MXN'], hostedUrl: 'https://pay.example.com' } as const

interface OutcomeEvent {
  id: string
  data: EventData<'payment_attempt.settled'>
}

interface Try {
  address?: string
  /** The number of the card, by which its fingerprint is made; without one the acquirer answers no fingerprint. */
  card?: string
  declined?: boolean
  /** Reports the outcome in place of a reply, which is lost. Gets the outcomes of the process that waits. */
  byEvent?: (event: OutcomeEvent, outcomes: AttemptOutcomes) => Promise<unknown>
}

/**
 * Payers on a database of their own, who pay along checkout's whole path: only the acquirer and transactions are played.
 * Each of the `replicas` has its own connections.
 */
export async function payers({
  limits = {},
  replicas = 1,
}: {
  limits?: Partial<VelocityLimits>
  replicas?: number
} = {}) {
  const database = await migratedDatabase({ schema, migrations, migrate })
  const open = () => openDatabase({ url: database.url(schema), schema, entities })
  const dbs = Array.from({ length: replicas }, open)
  const [db] = dbs as [Database, ...Database[]]
  const allLimits = { ...defaultLimits, ...limits }
  const asked = { tokens: 0, charges: 0 }
  const depsOf = (on: Database, outcomes: AttemptOutcomes, { card, declined = false, byEvent }: Try) => ({
    ...{ db: on, outcomes, logger, limits: allLimits },
    acquirer: {
      tokenize: async () => {
        asked.tokens += 1
        const fingerprint = card === undefined ? undefined : `fp ${card}`
        return { token: 'tok_1', brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2031, fingerprint }
      },
    },
    commands: {
      request: async ({ data }: { data: unknown }) => {
        asked.charges += 1
        const outcome = declined ? { status: 'declined' as const, decline_reason: 'do_not_honor' } : approved
        const reply = outcomeMessage(data as CommandData<'payment.charge'>, outcome)
        if (!byEvent) return { outcome: 'reply' as const, reply }
        await byEvent(reply as unknown as OutcomeEvent, outcomes)
        return new Promise<never>(() => undefined)
      },
    },
  })
  let turn = 0
  return {
    database,
    db,
    limits: allLimits,
    /** What reached the acquirer. */
    asked,
    session: async (merchant_id?: Id<'mrc'>) =>
      (
        await openSession({ db, rules }, keyCaller(merchant_id), {
          amount_total: 100,
          return_url: 'https://shop.mx/back',
        })
      ).id,
    link: async (merchant_id?: Id<'mrc'>) =>
      (await openLink({ db, rules }, keyCaller(merchant_id), { concepto: 'Curso', amount_cents: 100 })).id,
    /** Tries to pay, at the replicas in turn. Returns `approved`, or the code of the error. */
    pay: async (id: PayableId, one: Try = {}): Promise<string> => {
      const on = dbs[turn++ % dbs.length] ?? db
      const deps = depsOf(on, attemptOutcomes(inboxOf(on), on.schema, allLimits), one)
      const payment = { method: 'card', card_jwe: 'jwe', address: one.address } as const
      return payPayable(deps, id, payment).then(
        ({ body }) => body.status,
        error => error.code ?? String(error),
      )
    },
    /** Ends the connections and opens others, as a restart does. */
    restart: async () => {
      for (const [at, one] of dbs.entries()) {
        await one.close()
        dbs[at] = open()
      }
    },
    stop: async () => {
      for (const one of dbs) await one.close()
      await database.drop()
    },
  }
}

/** Does `work` for each number below `count`, a few at once, and returns the results in their order. */
export async function concurrently<T>(
  count: number,
  atOnce: number,
  work: (number: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const worker = async () => {
    while (next < count) {
      const number = next++
      results[number] = await work(number)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}

const approved = { status: 'approved' as const }
