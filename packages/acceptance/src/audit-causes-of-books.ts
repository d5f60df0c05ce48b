import { type AuditWorld, type Causes, type Deed, type Lifecycle, system, within } from './audit-world.ts'

const reserve = { percent_bps: 100, hold_days: 30, active: false }
const payouts = { frequency: 'daily', active: false }

/** Triggers the actions of fee rules, reserves, settlements, disputes, branches and terminals. */
export function causesOfBooks(world: AuditWorld): Causes {
  return {
    ...heldLifeOf(world, 'fee_rule', '/api/fee-rules', [{ name: 'Tarifa' }, { priority: 1 }]),
    ...heldLifeOf(world, 'rolling_reserve', '/api/rolling-reserve', [reserve, { hold_days: 31 }]),
    ...ofApprovals(world),
    ...lifeOf(world, 'settlement_config', '/api/settlement-config', [payouts, { minimum_cents: 1 }]),
    ...ofBankChanges(world),
    ...lifeOf(world, 'balance_snapshot', '/api/balance-snapshots', [{}, { note: 'seen' }]),
    ...lifeOf(world, 'sucursal', '/api/sucursales', [{ name: 'Centro' }, { phone: '55 1234' }]),
    ...lifeOf(world, 'terminal', '/api/terminales', [{ name: 'T', serial: 'serial 1' }, { name: 'U' }]),
    ...ofDisputes(world),
    ...ofSettlements(world),
  }
}

/** Asks for a new bank account, then cancels the change during its hold. */
function ofBankChanges({ by }: AuditWorld): Causes {
  const bank = { clabe: '032180000118359719', holder: 'Café Azul SA de CV' }
  let id = ''
  return {
    'settlement_config.bank_change_requested': [
      async () => {
        const { body } = await by('operator', 'POST', '/api/settlement-config', { frequency: 'daily', active: false })
        id = body.data.id
        return (await by('client', 'PUT', `/api/settlement-config/${id}`, { bank })).did(id)
      },
    ],
    'settlement_config.bank_change_cancelled': [
      async () => (await by('operator', 'POST', `/api/settlement-config/${id}/bank/cancel`)).did(id),
    ],
  }
}

/** Creates an object, then changes it, then deletes it. */
function lifeOf({ by }: AuditWorld, word: string, path: string, [made, changed]: [object, object]): Causes {
  let id = ''
  return {
    [`${word}.created`]: [
      async () => {
        const deed = await by('operator', 'POST', path, made)
        id = deed.body.data.id
        return deed.did(id)
      },
    ],
    [`${word}.updated`]: [async () => (await by('operator', 'PUT', `${path}/${id}`, changed)).did(id)],
    [`${word}.deleted`]: [async () => (await by('operator', 'DELETE', `${path}/${id}`)).did(id)],
  }
}

/** Makes a call that a second operator approves. The record of its effect names the approver. */
async function approved(
  { by }: AuditWorld,
  ...request: [string, string, object?]
): Promise<{ id: string; deed: Deed }> {
  const { body } = await by('operator', ...request)
  const deed = await by('approver', 'POST', `/api/approvals/${body.data.id}/approve`)
  return { id: deed.body.data.target_id, deed }
}

/** Does the same as `lifeOf` with calls that need an approval. */
function heldLifeOf(world: AuditWorld, word: string, path: string, [made, changed]: [object, object]): Causes {
  let id = ''
  const cause = async (...request: [string, string, object?]) => {
    const done = await approved(world, ...request)
    id = done.id
    return done.deed.did(id)
  }
  return {
    [`${word}.created`]: [() => cause('POST', path, made)],
    [`${word}.updated`]: [() => cause('PUT', `${path}/${id}`, changed)],
    [`${word}.deleted`]: [() => cause('DELETE', `${path}/${id}`)],
  }
}

function ofApprovals(world: AuditWorld): Causes {
  const { by, merchant_id, stack } = world
  const asked = () => by('operator', 'POST', '/api/fee-rules', { name: 'Tarifa' })
  const decided = (word: string) => async () => {
    const { id } = (await asked()).body.data
    return (await by('approver', 'POST', `/api/approvals/${id}/${word}`)).did(id)
  }
  return {
    'approval.requested': [
      async () => {
        const deed = await asked()
        return deed.did(deed.body.data.id)
      },
    ],
    'approval.approved': [decided('approve')],
    'approval.rejected': [decided('reject')],
    'approval.lapsed': [
      async () => {
        const { id } = (await asked()).body.data
        await stack.query('update transactions.approvals set lapses_at = now() where id = $1', [id])
        return { target_id: id, ...system, correlation_id: null, merchant_id }
      },
    ],
  }
}

function ofDisputes({ by, paid }: AuditWorld): Causes {
  /** Opens a dispute and acts on it. */
  async function opened() {
    const payment = await paid()
    const complaint = { transaction_id: payment.transaction, reason: 'fraudulent' }
    const deed = await by('operator', 'POST', '/api/disputes', complaint)
    return { payment, id: deed.body.data.id as string, deed }
  }
  const about = async (act: (path: string) => Promise<Deed>) => {
    const { id, payment } = await opened()
    return (await act(`/api/disputes/${id}`)).did(id, within(payment))
  }
  const moved = (status: string) => [() => about(path => by('operator', 'PUT', path, { status }))]
  return {
    'dispute.opened': [
      async () => {
        const { id, payment, deed } = await opened()
        return deed.did(id, within(payment))
      },
    ],
    'dispute.updated': [() => about(path => by('key', 'PUT', path, { evidence: { receipt: 'Ticket 5' } }))],
    'dispute.under_review': moved('under_review'),
    'dispute.won': moved('won'),
    'dispute.lost': moved('lost'),
    'dispute.accepted': [() => about(path => by('client', 'PUT', path, { status: 'accepted' }))],
    'dispute.expired': moved('expired'),
    'dispute.withdrawn': [() => about(path => by('operator', 'DELETE', path))],
  }
}

/** Funds every settlement beyond what the disputes take, because one takes everything available. */
function ofSettlements({ by, enter }: AuditWorld): Causes {
  const made = async () => {
    await enter({ amount_cents: 5_000_000 })
    const today = new Date().toISOString().slice(0, 10)
    const deed = await by('operator', 'POST', '/api/settlements', { period_start: today, period_end: today })
    return { deed, settlement: deed.body.data as Pick<Lifecycle, 'id'> }
  }
  const changed = async (change: object) => {
    const { id } = (await made()).settlement
    return (await by('operator', 'PUT', `/api/settlements/${id}`, change)).did(id)
  }
  return {
    'settlement.created': [
      async () => {
        await by('operator', 'POST', '/api/settlement-config', { frequency: 'daily', delay_days: 0 })
        const { deed, settlement } = await made()
        return deed.did(settlement.id)
      },
    ],
    'settlement.updated': [() => changed({ reference: 'SPEI 1' })],
    'settlement.paid': [() => changed({ status: 'paid' })],
    'settlement.failed': [() => changed({ status: 'failed' })],
    'settlement.deleted': [
      async () => {
        const { id } = (await made()).settlement
        return (await by('operator', 'DELETE', `/api/settlements/${id}`)).did(id)
      },
    ],
  }
}
