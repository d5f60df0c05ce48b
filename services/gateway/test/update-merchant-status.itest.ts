import { waitFor } from '@cobro/testing'
import { type AdminWorld, adminWorld } from './admin-calls.ts'
import { bearer, clients, send, start, token } from './gateway-world.ts'

let world: AdminWorld
let replicas: string[]
let second: Awaited<ReturnType<typeof start>>
beforeAll(async () => {
  world = await adminWorld()
  second = await start({ ...world.config, SPOOL_DIR: `${world.config.SPOOL_DIR}/second` })
  replicas = [world.url, second.url]
})
afterAll(async () => {
  await second?.stop()
  await world?.stop()
})

const setStatus = (status: 'active' | 'disabled') =>
  world.call(world.asOperator, 'PUT', `/api/merchants/${world.azul.merchant_id}`, { status })
const login = () => send(world.url, '/api/auth/login', { body: clients[0] })
const refresh = (refresh_token: string) => send(world.url, '/api/auth/refresh', { body: { refresh_token } })
const statuses = (headers: Record<string, string>) =>
  Promise.all(replicas.map(async url => (await send(url, '/api/transactions', { headers })).status))
const becomes = (headers: Record<string, string>, status: number) =>
  waitFor(async () => (await statuses(headers)).every(one => one === status), { timeoutMs: 1_000 })

test('rejects keys and users of a disabled merchant within a second on every replica, and accepts them once it is enabled', async () => {
  const client = (await login()).body
  const credentials = [token(world.azul.key), bearer(client.token)]
  for (const headers of credentials) expect(await statuses(headers)).toEqual([200, 200])

  expect((await setStatus('disabled')).status).toBe(200)
  await Promise.all(credentials.map(headers => becomes(headers, 401)))
  expect([(await login()).status, (await refresh(client.refresh_token)).status]).toEqual([401, 401])
  expect(await statuses(token(world.rojo.key))).toEqual([200, 200])

  await setStatus('active')
  await Promise.all(credentials.map(headers => becomes(headers, 200)))
  await world.database.query('delete from gateway.login_failures')
  expect([(await login()).status, (await refresh(client.refresh_token)).status]).toEqual([200, 200])
})

test('operators still act for a disabled merchant, and services receive its status', async () => {
  await setStatus('disabled')
  const selecting = { ...world.asOperator, 'x-merchant-id': world.azul.merchant_id }
  await waitFor(async () => {
    expect((await send(world.url, '/api/transactions', { headers: selecting })).status).toBe(200)
    const caller = await world.callerOf(world.upstream.received.at(-1))
    return 'merchant_status' in caller && caller.merchant_status === 'disabled'
  })
  await setStatus('active')
})
