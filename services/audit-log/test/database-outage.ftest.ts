import { newId } from '@cobro/contracts'
import { operatorCaller } from '@cobro/http/test-identity'
import { secret } from '@cobro/runtime'
import { tcpProxy, waitFor } from '@cobro/testing'
import { auditWorld, eventMessage, type World } from './audit-log-world.ts'

let world: World

beforeAll(async () => {
  world = await auditWorld()
  await waitFor(() => world.connected())
})
afterAll(() => world.close())

const stored = async (correlation: string) =>
  (
    await world.sql<{ count: number }>(
      `select count(*)::integer as count from audit.events where correlation_id = '${correlation}'`,
    )
  )[0]?.count

test('while Postgres is unreachable events wait in the queue, and none is lost or dead-lettered', async () => {
  const gate = await tcpProxy(world.database.url('audit'))
  const service = await world.start({ DATABASE_URL: secret(gate.url) })
  const correlation_id = newId('corr')
  const publishSome = () =>
    Promise.all(Array.from({ length: 200 }, () => world.publish(eventMessage({ correlation_id }))))
  const ready = async () => (await fetch(`http://127.0.0.1:${service.port}/health/ready`)).status

  await publishSome()
  await waitFor(async () => (await stored(correlation_id)) === 200)
  await gate.shut()
  await publishSome()
  expect(await ready()).toBe(503)
  await publishSome()
  expect(await stored(correlation_id)).toBe(200)
  await gate.open()
  await waitFor(async () => (await stored(correlation_id)) === 600)
  await waitFor(async () => (await ready()) === 200)
  expect([await world.readyMessageCount('deadLetter'), await world.readyMessageCount('retry')]).toEqual([0, 0])
  await service.stop()
  await gate.close()
})

test('no event is lost when database connections are terminated, and the tree stays valid', async () => {
  const service = await world.start()
  const correlation_id = newId('corr')
  for (let round = 0; round < 10; round++) {
    await Promise.all(Array.from({ length: 100 }, () => world.publish(eventMessage({ correlation_id }))))
    await world.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'cobro_audit' and datname = current_database()`,
    )
  }
  await waitFor(async () => (await stored(correlation_id)) === 1_000)
  expect([await world.readyMessageCount('deadLetter'), await world.readyMessageCount('retry')]).toEqual([0, 0])
  const { body } = await service.call(operatorCaller('all'), '/api/events/integrity')
  expect(body.data).toMatchObject({ ok: true, checked: body.data.size })
  await service.stop()
})

test('the audit log starts while Postgres is unreachable, and records events once it is reachable', async () => {
  const gate = await tcpProxy(world.database.url('audit'))
  await gate.shut()
  const service = await world.start({ DATABASE_URL: secret(gate.url) })
  const correlation_id = newId('corr')
  await world.publish(eventMessage({ correlation_id }))
  await gate.open()
  await waitFor(async () => (await stored(correlation_id)) === 1)
  await service.stop()
  await gate.close()
})
