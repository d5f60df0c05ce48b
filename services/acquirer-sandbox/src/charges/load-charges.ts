import type { DemoHistory, DemoProgress } from '@cobro/contracts/demo'
import type { Database } from '@cobro/database'

const batchSize = 300

/**
 * Loads the approved charges of a demo merchant's past, so that they can be refunded. Charges that are stored are left as they are.
 */
export async function loadCharges(
  db: Database,
  { orders }: DemoHistory,
  report: (progress: DemoProgress) => void,
): Promise<void> {
  const charges = orders.flatMap(chargesOf)
  for (let from = 0; from < charges.length; from += batchSize) {
    const batch = charges.slice(from, from + batchSize)
    await db.execute(insertCharges, [JSON.stringify(batch)])
    report({ loaded: from + batch.length, total: charges.length })
  }
}

/** The card behind a charge is not stored: no token has the name of a charge. */
const insertCharges = `
  insert into acquirer_sandbox.charges
    (key, reference, token, amount_cents, currency, status, response_code, risk_score, settles_at, created_at)
  select key, reference, reference, amount_cents, currency, 'approved', '00', risk_score, settles_at, created_at
  from jsonb_to_recordset(?::jsonb) as charge (key text, reference text, amount_cents bigint, currency text, risk_score integer,
    settles_at timestamptz, created_at timestamptz)
  on conflict do nothing`

function chargesOf({ payment_intent_id, amount_cents, currency, attempts }: DemoHistory['orders'][number]) {
  return attempts.flatMap(({ payment_method, status, acquirer_reference, risk_score, created_at, ended_at }, index) => {
    if (payment_method !== 'card' || status !== 'approved') return []
    const key = `${payment_intent_id}:${index + 1}`
    return [
      { key, reference: acquirer_reference, amount_cents, currency, risk_score, created_at, settles_at: ended_at },
    ]
  })
}
