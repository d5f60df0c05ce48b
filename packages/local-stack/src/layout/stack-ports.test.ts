import { stackServiceNames } from './stack-layout.ts'
import { choosePorts } from './stack-ports.ts'

test('derives all ports of a stack from the port of the gateway', async () => {
  const ports = await choosePorts(4000)
  expect(stackServiceNames.map(name => ports.services[name])).toEqual([4000, 4001, 4002, 4003, 4004, 4005])
  expect(ports.postgres).toBe(4032)
  expect(ports.rabbitmq).toEqual({ amqp: 4072, node: 4073, epmd: 4074, api: 4075 })
})
