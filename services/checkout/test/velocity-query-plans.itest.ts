import { newId } from '@cobro/contracts'
import { explainQuery } from '@cobro/testing'
import {
  type CountedAttempt,
  countStatement,
  rulesBeforeCard,
  rulesOfCard,
} from '../src/velocity-rules/count-attempts.ts'
import { digestOfAddress, digestOfCard } from '../src/velocity-rules/velocity-subjects.ts'
import { payers } from './payers.ts'

const attempts = 20_000
const literal = (value: unknown) => (value instanceof Date ? `'${value.toISOString()}'` : `'${value}'`)

let world: Awaited<ReturnType<typeof payers>>
beforeAll(async () => {
  world = await payers()
})
afterAll(() => world?.stop())

test('counts by indexes that leave out what does not count, among many approved payments of one address', async () => {
  const attempt: CountedAttempt = {
    ...{ payment_intent_id: 'pi_1', payable_id: newId('cs'), merchant_id: newId('mrc'), created_at: new Date() },
    ...{ address_digest: digestOfAddress('203.0.113.7'), card_fingerprint: digestOfCard('one') },
  }
  await world.database.query(
    `insert into checkout.payment_attempts (payment_intent_id, number, payable_id, merchant_id, correlation_id, status,
       amount_cents, currency, deadline, created_at, address_digest, card_fingerprint)
     select 'pi_' || n, 1, 'cs_' || n, $1, 'corr_1', case when n % 1000 = 0 then 'declined' else 'approved' end,
       100, 'MXN', now(), now() - n * interval '1 ms', $2, $3 from generate_series(1, ${attempts}) n`,
    [attempt.merchant_id, attempt.address_digest, attempt.card_fingerprint],
  )
  await world.database.query('analyze checkout.payment_attempts')
  for (const rules of [rulesBeforeCard, rulesOfCard]) {
    const { sql, params } = countStatement('checkout', world.limits, rules, attempt)!
    const rest = [...params]
    const { nodes } = await explainQuery(
      world.database.query,
      sql.replaceAll('?', () => literal(rest.shift())),
    )
    const reads = nodes.filter(node => node['Relation Name'] === 'payment_attempts')
    expect(reads.map(node => node['Node Type'])).not.toContain('Seq Scan')
    const rowsRead = reads.map(
      node => node['Actual Rows'] * node['Actual Loops'] + (node['Rows Removed by Filter'] ?? 0),
    )
    expect(rowsRead.reduce((sum, rows) => sum + rows, 0)).toBeLessThan(100)
  }
})
