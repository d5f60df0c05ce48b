import { createHash, randomBytes } from 'node:crypto'
import { type Caller, type Id, newId } from '@cobro/contracts'
import { type Database, openDatabase } from '@cobro/database'
import { clientCaller, keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { type KeyRing, secret } from '@cobro/runtime'
import { type EventTap, tapEvents, waitFor } from '@cobro/testing'
import { entities } from '../src/entities.ts'
import { applyDueBankChanges } from '../src/settlement-config/bank-changes.ts'
import { updateSettlementConfig } from '../src/settlement-config/change-settlement-config.ts'
import { sealStoredAccounts } from '../src/settlement-config/seal-stored-accounts.ts'
import { openAccount } from '../src/settlement-config/sealed-account.ts'
import { serviceCalls } from './service-calls.ts'
import { transactionsUnderTest } from './transactions-service.ts'

const hour = 3_600_000
const holdMs = 72 * hour
const key = (id: string) => ({ id, bytes: secret(randomBytes(32)) })
const accountKeys: KeyRing = [key('a1')]

let service: Awaited<ReturnType<typeof transactionsUnderTest>>
let db: Database
let tap: EventTap
beforeAll(async () => {
  service = await transactionsUnderTest('http://127.0.0.1:9', {
    BANK_CHANGE_HOLD_HOURS: 72,
    ENCRYPTION_KEYS: accountKeys,
  })
  tap = await tapEvents({ url: service.amqpUrl, namespace: service.namespace })
  db = openDatabase({ url: service.database.url('transactions'), schema: 'transactions', entities })
})
afterAll(async () => {
  await tap.close()
  await db.close()
  await service.stop()
})

const call = serviceCalls(() => service)
const own = { clabe: '032180000118359719', holder: 'Café Azul', bank_name: null }
const attackers = { clabe: '002010077777777771', holder: 'Ana', bank_name: null }
const masked = (bank: typeof own) => ({ ...bank, clabe: `**************${bank.clabe.slice(-4)}` })

/** Returns a user that was created before the time of a hold, so that it can approve changes. */
const olderThanHold = <C extends Caller>(caller: C): C => ({ ...caller, id: newId('usr', Date.now() - holdMs) })

/** Creates a configuration whose bank account is in effect. */
async function configuration() {
  const merchant_id = newId('mrc')
  const [ana, luis, operator] = [
    olderThanHold(clientCaller(merchant_id)),
    olderThanHold(clientCaller(merchant_id)),
    olderThanHold(operatorCaller('all', merchant_id)),
  ]
  const created = await call(operator, 'POST', '/api/settlement-config', { frequency: 'daily', bank: own })
  const path = `/api/settlement-config/${created.body.data.id}`
  expect((await approve(ana, path)).body.data.bank).toEqual(masked(own))
  return { path, id: created.body.data.id as Id<'stc'>, merchant_id, ana, luis, operator }
}

/** Approves the change that is on hold, or the one that takes effect at another time. */
async function approve(caller: Caller, path: string, effective_at?: string) {
  const shown = async () => (await call(caller, 'GET', path)).body.data?.bank_pending?.effective_at
  const body = { effective_at: effective_at ?? (await shown()) ?? '2026-01-05T18:04:05.123Z' }
  return call(caller, 'POST', `${path}/bank/approve`, body)
}

const change = (caller: Caller, path: string, bank: object | null = attackers) => call(caller, 'PUT', path, { bank })
const eventsOf = (id: string) => tap.messages.filter(({ target_id }) => target_id === id)

/** Ends the hold of a change. */
const endHold = (id: string) =>
  service.database.query('update transactions.settlement_configs set bank_effective_at = now() where id = $1', [id])

test('a new bank account is on hold for 72 hours, and the current one stays until then', async () => {
  const { path, id, ana } = await configuration()
  const before = Date.now()
  const { status, body } = await change(ana, path)
  expect(status).toBe(200)
  expect(body.data).toMatchObject({
    bank: masked(own),
    bank_pending: { bank: masked(attackers), requested_by: ana.id },
  })
  const heldMs = new Date(body.data.bank_pending.effective_at).getTime() - before
  expect(Math.round(heldMs / hour)).toBe(72)
  expect((await call(ana, 'GET', path)).body.data).toEqual(body.data)

  await applyDueBankChanges(db)
  expect((await call(ana, 'GET', path)).body.data.bank).toEqual(masked(own))
  await endHold(id)
  await applyDueBankChanges(db)
  const after = (await call(ana, 'GET', path)).body.data
  expect([after.bank, after.bank_pending]).toEqual([masked(attackers), null])

  const seen = await waitFor(() => eventsOf(id).length >= 5 && eventsOf(id))
  expect(seen.slice(-2).map(({ name, data, actor }) => [name, data.bank_pending ?? data.changes, actor])).toEqual([
    ['settlement_config.bank_change_requested', body.data.bank_pending, { type: 'client', id: ana.id }],
    ['settlement_config.updated', { bank: { from: masked(own), to: masked(attackers) } }, { type: 'system', id: null }],
  ])
  expect(JSON.stringify(seen)).not.toMatch(/0321800001183|0020100777777/)
})

test('the account of a new configuration and the removal of an account are on hold, too', async () => {
  const operator = operatorCaller('all', newId('mrc'))
  const { body } = await call(operator, 'POST', '/api/settlement-config', { frequency: 'daily', bank: own })
  expect(body.data).toMatchObject({ bank: null, bank_pending: { bank: masked(own), requested_by: operator.id } })
  const { path, ana, luis } = await configuration()
  expect((await change(ana, path, null)).body.data).toMatchObject({ bank: masked(own), bank_pending: { bank: null } })
  expect((await approve(luis, path)).body.data).toMatchObject({ bank: null, bank_pending: null })
})

test.each(['luis', 'operator'] as const)('%s can approve a change that ana asked for, but ana cannot', async who => {
  const { path, ana, ...others } = await configuration()
  await change(ana, path)
  const refused = await approve(ana, path)
  expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('another user')])
  const approved = await approve(others[who], path)
  expect([approved.status, approved.body.data.bank]).toEqual([200, masked(attackers)])
  expect((await approve(others[who], path)).status).toBe(409)
})

test('an operator cannot approve a change of its own', async () => {
  const { path, operator } = await configuration()
  await change(operator, path)
  expect((await approve(operator, path)).status).toBe(403)
})

test('a user of another merchant can neither approve nor cancel a change', async () => {
  const { path, ana } = await configuration()
  await change(ana, path)
  expect((await approve(olderThanHold(clientCaller()), path)).status).toBe(403)
  expect((await call(clientCaller(), 'POST', `${path}/bank/cancel`)).status).toBe(403)
})

test('a user that has existed for less time than the hold cannot approve a change', async () => {
  const { path, merchant_id, ana } = await configuration()
  const bornMs = Date.now() - holdMs
  const fresh = { ...clientCaller(merchant_id), id: newId('usr', bornMs + 60_000) }
  await change(ana, path)
  const refused = await approve(fresh, path)
  expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('older than the hold')])
  // An old user whose password, second factor or access someone else has changed may be the requester by now.
  const takenOver = { ...fresh, id: newId('usr', bornMs), credentials_since: bornMs / 1000 + 60 }
  const rejected = await approve(takenOver, path)
  expect([rejected.status, rejected.body.error]).toEqual([403, expect.stringContaining('older than the hold')])
  expect((await approve({ ...takenOver, credentials_since: bornMs / 1000 }, path)).status).toBe(200)
})

test('an approval applies to the change that the approver saw, and not to one that replaced it', async () => {
  const { path, ana, luis } = await configuration()
  const seen = (await change(ana, path, { ...own, holder: 'Café Azul Centro' })).body.data.bank_pending
  await change(ana, path)
  const late = await approve(luis, path, seen.effective_at)
  expect([late.status, late.body.error]).toEqual([409, expect.stringContaining('replaced')])
  expect((await call(luis, 'GET', path)).body.data.bank).toEqual(masked(own))
  expect((await call(luis, 'POST', `${path}/bank/approve`, {})).status).toBe(400)
})

test('sending the account that is on hold again keeps its hold', async () => {
  const { path, id, ana, luis } = await configuration()
  const first = (await change(ana, path)).body.data
  expect((await change(luis, path)).body.data).toEqual(first)
  await call(luis, 'POST', `${path}/bank/cancel`)
  await waitFor(() => eventsOf(id).some(({ name }) => name.endsWith('bank_change_cancelled')))
  // One of the first account and one of the second, which came before the cancellation.
  expect(eventsOf(id).filter(({ name }) => name.endsWith('bank_change_requested'))).toHaveLength(2)
})

test('without a hold, a new account replaces a change that was on hold', async () => {
  const { path, id, ana } = await configuration()
  await change(ana, path)
  const bank = { ...own, holder: 'Café Azul Centro' }
  await updateSettlementConfig({ db, bankHoldMs: 0, accountKeys }, ana, id, { bank })
  expect((await call(ana, 'GET', path)).body.data).toMatchObject({ bank: masked(bank), bank_pending: null })
  await waitFor(() => eventsOf(id).some(({ name }) => name === 'settlement_config.bank_change_cancelled'))
})

test('a caller that is not a user cannot request another bank account', async () => {
  const { id, merchant_id } = await configuration()
  const key = keyCaller(merchant_id)
  const requested = updateSettlementConfig({ db, bankHoldMs: holdMs, accountKeys }, key, id, { bank: attackers })
  await expect(requested).rejects.toMatchObject({ code: 'forbidden' })
})

test('a change can be cancelled during the hold, also by sending the current account', async () => {
  const { path, id, ana, luis } = await configuration()
  await change(ana, path)
  const cancelled = await call(luis, 'POST', `${path}/bank/cancel`)
  expect(cancelled.body.data).toMatchObject({ bank: masked(own), bank_pending: null })
  expect((await call(luis, 'POST', `${path}/bank/cancel`)).status).toBe(409)
  await change(ana, path)
  expect((await change(luis, path, own)).body.data).toMatchObject({ bank: masked(own), bank_pending: null })
  await applyDueBankChanges(db)
  expect((await call(ana, 'GET', path)).body.data.bank).toEqual(masked(own))
  const ends = () => eventsOf(id).filter(({ name }) => name === 'settlement_config.bank_change_cancelled')
  await waitFor(() => ends().length === 2)
  expect(ends().map(({ actor }) => actor.id)).toEqual([luis.id, luis.id])
})

test('a second change replaces the first one, starts a new hold and needs an approval of its own', async () => {
  const { path, ana, luis } = await configuration()
  const first = (await change(ana, path)).body.data.bank_pending
  const second = (await change(luis, path, { ...attackers, holder: 'Luis' })).body.data.bank_pending
  expect(second).toMatchObject({ bank: { holder: 'Luis' }, requested_by: luis.id })
  expect(second.effective_at > first.effective_at).toBe(true)
  expect((await approve(luis, path)).status).toBe(403)
  expect((await approve(ana, path)).body.data.bank.holder).toBe('Luis')
})

test('replicas that end a hold at the same time apply the change once', async () => {
  const { path, id, ana } = await configuration()
  await change(ana, path)
  await endHold(id)
  await Promise.all(Array.from({ length: 8 }, () => applyDueBankChanges(db)))
  expect((await call(ana, 'GET', path)).body.data.bank).toEqual(masked(attackers))
  const updates = () => eventsOf(id).filter(({ name }) => name === 'settlement_config.updated')
  await waitFor(() => updates().length >= 2)
  // One of the approval that put the first account into effect, and one of the end of the hold.
  expect(updates()).toHaveLength(2)
})

/** Returns a configuration's accounts as they are stored. */
const storedAccounts = async (id: string) => {
  const select = 'select bank, bank_pending from transactions.settlement_configs where id = $1'
  const [row] = await service.database.query(select, [id])
  return row as { bank: object; bank_pending: object | null }
}

test('account numbers are encrypted in the database, and sending the same one again changes nothing', async () => {
  const { path, id, ana } = await configuration()
  await change(ana, path)
  const stored = await storedAccounts(id)
  expect(stored).toEqual({
    bank: { ...masked(own), clabe_sealed: expect.stringMatching(/^a1\.[\w-]{40,}$/) },
    bank_pending: { ...masked(attackers), clabe_sealed: expect.stringMatching(/^a1\./) },
  })
  await updateSettlementConfig({ db, bankHoldMs: 0, accountKeys }, ana, id, { bank: attackers })
  const now = await storedAccounts(id)
  await updateSettlementConfig({ db, bankHoldMs: 0, accountKeys }, ana, id, { bank: attackers })
  expect(await storedAccounts(id)).toEqual(now)
  await waitFor(() => eventsOf(id).filter(({ data }) => data.changes).length >= 2)
  expect(JSON.stringify(eventsOf(id))).not.toContain('clabe_sealed')
})

test('the stored hash of a repeated request is no plain hash, from which its account number could be guessed', async () => {
  const operator = operatorCaller('all', newId('mrc'))
  const body = { frequency: 'daily', bank: own }
  const create = () => call(operator, 'POST', '/api/settlement-config', body, { 'idempotency-key': 'once' })
  const [first, second] = [await create(), await create()]
  expect([first.status, second.body]).toEqual([201, first.body])
  const rows = await service.database.query('select body_hash, answer from transactions.idempotency_keys')
  expect(rows).toEqual([{ body_hash: expect.stringMatching(/^[a-f\d]{64}$/), answer: expect.stringMatching(/^a1\./) }])
  const plain = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  const named = createHash('sha256').update(`${operator.id} ${plain}`).digest('hex')
  expect([plain, named]).not.toContain(rows[0].body_hash)
})

test('accounts of the release before and of an older key are encrypted with the first key', async () => {
  const [one, two, empty] = [await configuration(), await configuration(), await configuration()]
  await service.database.query(
    'update transactions.settlement_configs set bank = $2, bank_pending = $3, bank_effective_at = now() where id = $1',
    [one.id, JSON.stringify(own), JSON.stringify(attackers)],
  )
  await service.database.query('update transactions.settlement_configs set bank = null where id = $1', [empty.id])
  expect((await call(one.ana, 'GET', one.path)).body.data.bank).toEqual(masked(own))
  const updated = (await call(two.ana, 'GET', two.path)).body.data.updated_at

  const rotated: KeyRing = [key('a2'), ...accountKeys]
  while (await sealStoredAccounts(db, rotated));
  for (const [id, bank, bank_pending] of [
    [one.id, own, attackers],
    [two.id, own, null],
    [empty.id, null, null],
  ] as const) {
    const stored = await storedAccounts(id)
    expect([
      openAccount([rotated[0]!], stored.bank as never),
      openAccount(rotated, stored.bank_pending as never),
    ]).toEqual([bank, bank_pending])
    expect(JSON.stringify(stored)).not.toMatch(/0321800001183|0020100777777|"a1\./)
  }
  expect((await call(two.ana, 'GET', two.path)).body.data.updated_at).toBe(updated)
  expect(await sealStoredAccounts(db, rotated)).toBe(false)
})
