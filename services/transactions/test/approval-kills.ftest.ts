import { newId } from '@cobro/contracts'
import { operatorCaller } from '@cobro/http/test-identity'
import { type Step, waitFor } from '@cobro/testing'
import { refundFixture } from './refund-fixture.ts'

const long = process.env.COBRO_TEST_LONG === '1'
let world: Awaited<ReturnType<typeof refundFixture>>
beforeAll(async () => {
  world = await refundFixture({ DUAL_CONTROL: 'on', DUAL_CONTROL_CENTS: '0' })
})
afterAll(() => world?.stop())
afterEach(() => void world.statements.unwatch())

const merchant_id = newId('mrc')
const [ana, luis] = [operatorCaller('all', merchant_id), operatorCaller('all', merchant_id)]

/** A held call, and the key of its approval; undefined for one that is repeated without a key. */
interface HeldSale {
  id: string
  reference: string
  key: string | undefined
}

/** Asks for a manual transaction, which is found by its reference. */
async function hold(key?: string): Promise<HeldSale> {
  const reference = newId('req')
  const sale = { rail: 'online_cnp', payment_method: 'card', amount_cents: 25_000, reference }
  const { status, body } = await world.post(ana, '/api/transactions', sale)
  expect([status, body.data?.status]).toEqual([202, 'pending'])
  return { id: body.data.id, reference, key }
}

/** Approves a call until that is answered, also while the service restarts. */
const approve = ({ id, key }: HeldSale) =>
  waitFor(
    async () => {
      const headers: Record<string, string> = key ? { 'idempotency-key': key } : {}
      const { status, body } = await world.post(luis, `/api/approvals/${id}/approve`, undefined, headers)
      // Without a key, an approval whose answer was lost is answered with a conflict.
      if (key || status !== 409) expect([status, body.error]).toEqual([200, undefined])
      else expect(body.error).toContain('the approval is approved')
      return true
    },
    { timeoutMs: 120_000, intervalMs: 50 },
  )

/** Expects that a call was carried out once: its rows, ledger entries and events. */
async function judge({ id, reference }: HeldSale) {
  const [account] = await world.database.query(
    `select approval.status, approval.target_id = one.id as named, count(*)::integer as rows,
       (select count(*)::integer from transactions.ledger_entries where transaction_id = one.id) as entries
     from transactions.approvals approval left join transactions.transactions one on one.reference = $2
     where approval.id = $1 group by approval.status, approval.target_id, one.id`,
    [id, reference],
  )
  expect(account).toEqual({ status: 'approved', named: true, rows: 1, entries: 1 })
  const { unpublished } = await waitFor(async () => {
    const [row] = await world.database.query('select count(*)::integer as unpublished from transactions.outbox')
    return row?.unpublished === 0 && (row as { unpublished: number })
  })
  const idsOf = (name: string, isIt: (data: any) => boolean) =>
    new Set(world.tap.messages.filter(one => one.name === name && isIt(one.data)).map(one => one.id)).size
  await waitFor(() => idsOf('approval.approved', data => data.id === id) > 0)
  const events = [
    idsOf('payment.approved', data => data.reference === reference),
    idsOf('approval.approved', data => data.id === id),
  ]
  expect([unpublished, ...events]).toEqual([0, 1, 1])
}

/** The periodic tasks of an idle service. */
const idle =
  /transaction_count|with due|update transactions.transactions set next_check|approvals.*lapses_at|outbox|road as exchange|daily|reconciliation|settlement_conf|migrations|refunds|notif/

/** Returns the steps that all of four undisturbed approvals have: those of a periodic task are in some of them. */
async function stepsOfApproval(): Promise<Step[]> {
  const runs: Step[][] = []
  for (let run = 0; run < 4; run++) {
    const sale = await hold(newId('req'))
    world.statements.watch()
    await approve(sale)
    runs.push(world.statements.unwatch().steps.filter(({ label }) => !idle.test(label)))
    await judge(sale)
  }
  const [first = [], ...others] = runs
  const isIn = (steps: Step[], step: Step) => steps.some(({ label, nth }) => label === step.label && nth === step.nth)
  return first.filter(step => others.every(steps => isIn(steps, step)))
}

test('an approval carries out its call exactly once when the service is killed before or after any of its steps', async () => {
  let service = await world.start()
  const steps = await stepsOfApproval()
  const kills = steps.flatMap((step, index) =>
    (long ? [false, true] : [index % 2 === 1]).map(done => ({ ...step, done })),
  )
  kills.push(...steps.filter(({ label }) => label.startsWith('commit')).map(step => ({ ...step, done: true })))
  const unmet: Step[] = []
  for (const [index, kill] of kills.entries()) {
    const isOfKey = /idempotency|advisory|body_hash/.test(kill.label)
    const sale = await hold(isOfKey || index % 2 === 0 ? newId('req') : undefined)
    world.statements.watch({ ...kill, killProcess: service.kill })
    const answered = approve(sale)
    await Promise.race([service.exited, answered])
    if (!world.statements.unwatch().killed) unmet.push(kill)
    else {
      await service.exited
      service = await world.start()
    }
    await answered
    await judge(sale)
  }
  process.stdout.write(
    `an approval of ${steps.length} steps: ${kills.length - unmet.length} kills, unmet: ${JSON.stringify(unmet)}\n`,
  )
  expect(steps.map(({ label }) => label)).toEqual(expect.arrayContaining([expect.stringMatching(/^commit/)]))
  expect(unmet).toEqual([])
  expect(await world.check()).toMatchObject({ ok: true })
}, 900_000)
