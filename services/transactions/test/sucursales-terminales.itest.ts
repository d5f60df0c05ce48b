import { type Caller, sucursales, terminales } from '@cobro/contracts'
import { openDatabase } from '@cobro/database'
import { keyCaller, operatorCaller } from '@cobro/http/test-identity'
import { describeCrud } from '@cobro/testing'
import { entities } from '../src/entities.ts'
import { linkTerminal } from '../src/sucursales/link-terminal.ts'
import { transactionsUnderTest } from './transactions-service.ts'

let service: Awaited<ReturnType<typeof transactionsUnderTest>>
beforeAll(async () => {
  // These tests don't call the acquirer.
  service = await transactionsUnderTest('http://127.0.0.1:9')
})
afterAll(() => service.stop())

let serial = 0
const address = { street: 'Av. Juárez 1', city: 'Puebla', state: 'PUE', postal_code: '72000', country: 'MX' }

describeCrud(sucursales, {
  sample: {
    create: () => ({ name: 'Centro', address, phone: '+52 222 000 0000' }),
    update: { name: 'Centro Histórico', phone: null, status: 'inactive' },
    textField: 'name',
  },
  service: () => service,
})

describeCrud(terminales, {
  sample: {
    create: () => ({ name: 'Caja 1', serial: `SN-${++serial}`, model: 'P400' }),
    update: { name: 'Caja 2', model: null },
    textField: 'name',
  },
  service: () => service,
})

const call = async (caller: Caller, method: string, path: string, body?: object) => {
  const headers = { ...(await service.headers(caller)), ...(body ? { 'content-type': 'application/json' } : {}) }
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, body: (await response.json()) as any }
}
const createBranchAndTerminal = async (caller: ReturnType<typeof keyCaller>) => {
  const branch = await call(caller, 'POST', '/api/sucursales', { name: 'Norte' })
  const terminal = await call(caller, 'POST', '/api/terminales', { name: 'Caja', serial: `SN-${++serial}` })
  return { branch: branch.body.data, terminal: terminal.body.data }
}

test('a terminal is linked to a branch, which then cannot be deleted until it is unlinked', async () => {
  const caller = keyCaller()
  const { branch, terminal } = await createBranchAndTerminal(caller)
  const link = `/api/terminales/${terminal.id}/link`
  const linked = await call(caller, 'POST', link, { sucursal_id: branch.id })
  expect([linked.status, linked.body.data.sucursal_id]).toEqual([200, branch.id])
  expect(linked.body.data.linked_at).toMatch(/Z$/)
  expect((await call(caller, 'GET', `/api/terminales?sucursal_id=${branch.id}`)).body.count).toBe(1)
  expect((await call(caller, 'DELETE', `/api/sucursales/${branch.id}`)).status).toBe(409)
  const unlinked = await call(caller, 'DELETE', link)
  expect(unlinked.body.data).toMatchObject({ sucursal_id: null, linked_at: null })
  expect((await call(caller, 'DELETE', `/api/sucursales/${branch.id}`)).status).toBe(200)
})

test('a terminal is created with a branch, moved to another one by an update, and unlinked with null', async () => {
  const caller = keyCaller()
  const { branch: first } = await createBranchAndTerminal(caller)
  const { branch: second } = await createBranchAndTerminal(caller)
  const input = { name: 'Caja', serial: `SN-${++serial}`, sucursal_id: first.id }
  const created = (await call(caller, 'POST', '/api/terminales', input)).body.data
  expect(created).toMatchObject({ sucursal_id: first.id, linked_at: expect.stringMatching(/Z$/) })
  const path = `/api/terminales/${created.id}`
  const update = async (body: object) => (await call(caller, 'PUT', path, body)).body.data
  const { updated_at: _changed, ...unchanged } = created
  expect(await update({ sucursal_id: first.id })).toMatchObject(unchanged)
  expect(await update({ name: 'Caja 2' })).toMatchObject({ sucursal_id: first.id, linked_at: created.linked_at })
  const moved = await update({ sucursal_id: second.id })
  expect([moved.sucursal_id, moved.linked_at >= created.linked_at]).toEqual([second.id, true])
  expect((await call(caller, 'DELETE', `/api/sucursales/${second.id}`)).status).toBe(409)
  expect(await update({ sucursal_id: null })).toMatchObject({ sucursal_id: null, linked_at: null })
})

test("a terminal is neither created with nor moved to another merchant's branch", async () => {
  const caller = keyCaller()
  const { terminal } = await createBranchAndTerminal(caller)
  const { branch } = await createBranchAndTerminal(keyCaller())
  const input = { name: 'Caja', serial: `SN-${++serial}`, sucursal_id: branch.id }
  expect((await call(caller, 'POST', '/api/terminales', input)).status).toBe(403)
  expect((await call(caller, 'PUT', `/api/terminales/${terminal.id}`, { sucursal_id: branch.id })).status).toBe(403)
  expect((await call(caller, 'GET', `/api/terminales/${terminal.id}`)).body.data.sucursal_id).toBeNull()
})

test("a terminal cannot be linked to another merchant's branch", async () => {
  const caller = keyCaller()
  const { terminal } = await createBranchAndTerminal(caller)
  const { branch } = await createBranchAndTerminal(keyCaller())
  const response = await call(caller, 'POST', `/api/terminales/${terminal.id}/link`, { sucursal_id: branch.id })
  expect([response.status, response.body]).toEqual([403, { error: 'forbidden' }])
  // An operator who may write for both merchants.
  const db = openDatabase({ url: service.database.url('transactions'), schema: 'transactions', entities })
  const linked = linkTerminal(db, operatorCaller('all'), terminal.id, branch.id)
  await expect(linked).rejects.toMatchObject({ code: 'forbidden' })
  await db.close()
})

test('unlinking a terminal that is not linked changes nothing', async () => {
  const caller = keyCaller()
  const { terminal } = await createBranchAndTerminal(caller)
  const { status, body } = await call(caller, 'DELETE', `/api/terminales/${terminal.id}/link`)
  expect([status, body.data]).toEqual([200, terminal])
})

test('the serial of a terminal is unique within a merchant, and another merchant may use it', async () => {
  const caller = keyCaller()
  const input = { name: 'Caja', serial: 'SN-SAME' }
  expect((await call(caller, 'POST', '/api/terminales', input)).status).toBe(201)
  const duplicate = await call(caller, 'POST', '/api/terminales', input)
  expect([duplicate.status, duplicate.body.error]).toEqual([409, 'conflict: serial: another terminal has this one'])
  expect((await call(keyCaller(), 'POST', '/api/terminales', input)).status).toBe(201)
})

test('a text search matches wildcards and quotes literally', async () => {
  const caller = keyCaller()
  await call(caller, 'POST', '/api/sucursales', { name: "50% o'clock_x" })
  const count = async (search: string) =>
    (await call(caller, 'GET', `/api/sucursales?search=${encodeURIComponent(search)}`)).body.count
  expect([await count("50% o'"), await count('%'), await count('5_%'), await count('CLOCK')]).toEqual([1, 1, 0, 1])
})
