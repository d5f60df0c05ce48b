import { busNames } from './bus-names.ts'
import { loginDefinitions } from './login-definitions.ts'
import { loginNames, loginRights } from './login-permissions.ts'
import { exchangeNames } from './queues.ts'

test.each([
  ['cobro', 'cobro-2'],
  ['cobro', 'a.cobro'],
  ['cobro.mx', 'cobroXmx'],
])('the logins of %s have no rights in the namespace %s', (namespace, other) => {
  const { exchange, queue, failureExchange, reply } = busNames(other)
  const ofQueue = [queue('audit-log.events'), failureExchange('audit-log.events')]
  const names = [...exchangeNames.map(exchange), ...ofQueue, reply('x')]
  for (const [login, { configure, write, read }] of Object.entries(loginRights(namespace)))
    for (const name of names)
      for (const pattern of [configure, write, read])
        expect([login, name, new RegExp(pattern).test(name)]).toEqual([login, name, false])
})

test('every login names the routing keys of every topic exchange, since RabbitMQ allows all keys of another', () => {
  const { exchange } = busNames('cobro')
  for (const { topics } of Object.values(loginRights('cobro')))
    expect(topics.map(topic => topic.exchange)).toEqual([exchange('events'), exchange('commands')])
})

test('no service may create or delete queues and exchanges', () => {
  const rights = loginRights('cobro')
  for (const name of loginNames.filter(login => login !== 'migrate' && login !== 'checkout-commands'))
    expect([name, rights[name].configure]).toEqual([name, '^$'])
})

test('definitions have a user and its rights for each given login, and no others', () => {
  const logins = [{ login: 'checkout', suffix: '2', credentials: { password: 'secret' } }] as const
  const { users, permissions, topic_permissions } = loginDefinitions({
    namespace: 'cobro',
    vhost: 'pay',
    logins: [...logins],
  })
  expect(users).toEqual([{ name: 'cobro-checkout-2', password: 'secret', tags: '' }])
  expect(permissions).toEqual([expect.objectContaining({ user: 'cobro-checkout-2', vhost: 'pay', configure: '^$' })])
  expect(topic_permissions.map(({ user, vhost }) => [user, vhost])).toEqual(Array(2).fill(['cobro-checkout-2', 'pay']))
})
