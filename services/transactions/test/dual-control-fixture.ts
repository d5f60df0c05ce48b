import { type Caller, type Id, newId } from '@cobro/contracts'
import { openDatabase } from '@cobro/database'
import { operatorCaller } from '@cobro/http/test-identity'
import { tapEvents } from '@cobro/testing'
import { entities } from '../src/entities.ts'
import { inLedgerBatches } from '../src/maturity/ledger-batches.ts'
import { maturePositions } from '../src/maturity/mature-positions.ts'
import { serviceCalls } from './service-calls.ts'
import { transactionsUnderTest } from './transactions-service.ts'

export type DualControl = Awaited<ReturnType<typeof dualControlFixture>>
export type Operators = ReturnType<typeof operators>

export const limitCents = 1_000_000
export const hour = 3_600_000
export const sale = { rail: 'online_cnp', payment_method: 'card', amount_cents: limitCents }
export const large = { ...sale, amount_cents: limitCents + 1 }
export const reserve = { percent_bps: 100, hold_days: 30, active: false }
const today = () => new Date().toISOString().slice(0, 10)
export const period = () => ({ period_start: today(), period_end: today() })

/** Returns two operators of a new merchant who have existed for long enough to approve. */
export function operators() {
  const merchant_id = newId('mrc')
  const operator = () => ({ ...operatorCaller('all', merchant_id), id: newId('usr', Date.now() - 73 * hour) })
  return { merchant_id, ana: operator(), luis: operator() }
}

/** Runs the service with dual control, and makes the calls of its operators. */
export async function dualControlFixture() {
  const service = await transactionsUnderTest('http://127.0.0.1:9', {
    DUAL_CONTROL: 'on',
    DUAL_CONTROL_CENTS: limitCents,
    APPROVER_AGE_HOURS: 72,
  })
  const tap = await tapEvents({ url: service.amqpUrl, namespace: service.namespace })
  const db = openDatabase({ url: service.database.url('transactions'), schema: 'transactions', entities })
  const call = serviceCalls(() => service)
  const decide = (caller: Caller, id: string, word: 'approve' | 'reject', body?: object) =>
    call(caller, 'POST', `/api/approvals/${id}/${word}`, body)
  const held = async (caller: Caller, method: string, path: string, body?: object) => {
    const answer = await call(caller, method, path, body)
    expect([method, path, answer.status, answer.body.data?.status]).toEqual([method, path, 202, 'pending'])
    return answer.body.data
  }
  const approved = async ({ ana, luis }: Operators, ...request: [method: string, path: string, body?: object]) => {
    const { id } = await held(ana, ...request)
    const { status, body } = await decide(luis, id, 'approve')
    expect([request, status, body.error]).toEqual([request, 200, undefined])
    return body.data.target_id as string
  }
  const enter = (both: Operators, body: object) => approved(both, 'POST', '/api/transactions', { ...large, ...body })
  return {
    ...{ service, db, call, decide },
    /** Makes a call that has to be held, and returns its approval. */
    held,
    /** Makes a call that is held, and approves it. Returns the id of what it made or changed. */
    approved,
    /** Enters a transaction that is held, and approves it. */
    enter,
    /** Enters a transaction that a settlement of today has. */
    settleable: async (both: Operators) => {
      const config = { frequency: 'daily', delay_days: 0 }
      expect((await call(both.ana, 'POST', '/api/settlement-config', config)).status).toBe(201)
      return enter(both, { captured_at: new Date(Date.now() - 60_000).toISOString() })
    },
    /** What is due matures in transactions of its own, also before a settlement that is held or rejected. */
    mature: ({ merchant_id }: Operators) => {
      const ledger = { merchant_id, currency: 'MXN' } as const
      return inLedgerBatches(db.writeSeparately, { ledger, day: today() }, maturePositions, () => false)
    },
    /** Returns all that a merchant has, but for its approvals. */
    rowsOf: (merchant_id: Id<'mrc'>) => {
      const tables = [
        'transactions',
        'fee_rules',
        'rolling_reserves',
        'settlements',
        'ledger_entries',
        'ledger_positions',
      ]
      const rows = tables.map(table =>
        service.database.query(`select * from transactions.${table} where merchant_id = $1 order by 1`, [merchant_id]),
      )
      return Promise.all(rows)
    },
    eventsOf: (merchant_id: string) => tap.messages.filter(message => message.merchant_id === merchant_id),
    stop: async () => {
      await tap.close()
      await db.close()
      await service.stop()
    },
  }
}
