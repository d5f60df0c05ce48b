import { randomBytes } from 'node:crypto'
import { acceptsAdministrator, defaultApiUrl, deleteLogins, prepareBroker } from '../src/servers/broker-logins.ts'

const { TEST_AMQP_URL: amqpUrl = '', TEST_RABBITMQ_API_URL: apiUrl = '' } = process.env
const namespace = `test-${randomBytes(8).toString('hex')}`

afterAll(() => deleteLogins(apiUrl, namespace))

test('the login of a service administers no management API, and neither does an unknown one', async () => {
  const { url } = await prepareBroker({ amqpUrl, apiUrl, namespace })
  const { username, password } = new URL(url('gateway'))
  expect(await acceptsAdministrator(apiUrl)).toBe(true)
  expect(await acceptsAdministrator(Object.assign(new URL(apiUrl), { username, password }).href)).toBe(false)
  expect(await acceptsAdministrator(Object.assign(new URL(apiUrl), { password: 'guessed' }).href)).toBe(false)
  expect(await acceptsAdministrator('http://guest:guest@127.0.0.1:1')).toBe(false)
})

test('the management API is expected on its usual port only beside a broker on its own', () => {
  expect(defaultApiUrl('amqp://broker')).toBe('http://guest:guest@broker:15672/')
  expect(defaultApiUrl('amqps://me:secret@broker:5671/vhost')).toBe('https://me:secret@broker:15671/')
  expect(defaultApiUrl('amqp://me:secret@broker:5673')).toBeUndefined()
})
