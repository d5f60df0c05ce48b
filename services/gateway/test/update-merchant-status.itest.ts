import type { EventData } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import { type AdminWorld, adminWorld } from './admin-calls.ts'
import { bearer, clients, send, start, token, withinASecond } from './gateway-world.ts'

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

const setStatus = (status: EventData<'merchant.updated'>['status']) =>
  world.call(world.asOperator, 'PUT', `/api/merchants/${world.azul.merchant_id}`, { status })
const login = () => send(world.url, '/api/auth/login', { body: clients[0] })
const refresh = (refresh_token: string) => send(world.url, '/api/auth/refresh', { body: { refresh_token } })
const asks = (headers: Record<string, string>) => replicas.map(url => () => send(url, '/api/transactions', { headers }))
const statuses = (headers: Record<string, string>) => Promise.all(asks(headers).map(async ask => (await ask()).status))

test('rejects keys and users of a disabled merchant within a second on every replica, and accepts them once it is enabled', async () => {
  const client = (await login()).body
  const credentials = [token(world.azul.key), bearer(client.token)]
  for (const headers of credentials) expect(await statuses(headers)).toEqual([200, 200])

  expect((await setStatus('disabled')).status).toBe(200)
  await withinASecond(401, ...credentials.flatMap(asks))
  expect([(await login()).status, (await refresh(client.refresh_token)).status]).toEqual([401, 401])
  expect(await statuses(token(world.rojo.key))).toEqual([200, 200])

  await setStatus('active')
  await withinASecond(200, ...credentials.flatMap(asks))
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
