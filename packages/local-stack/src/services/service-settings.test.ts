import { stackServiceNames } from '../layout/stack-layout.ts'
import { publicKeySet } from './secrets.ts'
import { type StackSettings, serviceSettings } from './service-settings.ts'

const stack: StackSettings = {
  dir: '/stack',
  secrets: {
    postgres_password: 'postgres-secret',
    amqp_password: 'amqp-secret',
    internal_signing_key: { kty: 'OKP', crv: 'Ed25519', x: 'public', d: 'private', kid: 'k' },
    audit_signing_key: { kty: 'OKP', crv: 'Ed25519', x: 'public', d: 'audit-secret' },
    api_key_peppers: 'p1:pepper',
    encryption_keys: {
      gateway: 'k1:g',
      transactions: 'k1:t',
      'webhooks-dispatcher': 'k1:w',
      'acquirer-sandbox': 'k1:a',
    },
    acquirer_api_key: 'acquirer-secret',
    passwords: { operator: 'o', client: 'c', second_client: 's', shop: 's' },
  },
  ports: Object.fromEntries(stackServiceNames.map((name, index) => [name, 4000 + index])) as StackSettings['ports'],
  database: {
    url: schema => `postgres://cobro_${schema}@host/cobro`,
    migratorUrl: 'postgres://migrator',
    auditKeeperUrl: 'postgres://keeper',
    adminUrl: 'postgres://admin',
  },
  broker: { url: login => `amqp://cobro-${login}@broker`, adminUrl: 'amqp://admin@broker' },
  namespace: 'cobro',
}

test('only the gateway gets the key that signs internal identities', () => {
  for (const name of stackServiceNames) {
    const text = JSON.stringify(serviceSettings(name, stack))
    expect([name, text.includes('private')]).toEqual([name, name === 'gateway'])
  }
})

test('only the audit log gets the key that signs its checkpoints', () => {
  for (const name of stackServiceNames) {
    const text = JSON.stringify(serviceSettings(name, stack))
    expect([name, text.includes('audit-secret')]).toEqual([name, name === 'audit-log'])
  }
})

test('no service gets the database URL of the administrator, the migrator or the keeper of the audit log', () => {
  for (const name of stackServiceNames)
    expect(Object.values(serviceSettings(name, stack)).join()).not.toMatch(/admin|migrator|keeper/)
})

test('each service logs in to RabbitMQ as itself, and only checkout as a command client', () => {
  expect(serviceSettings('webhooks-dispatcher', stack).AMQP_URL).toBe('amqp://cobro-webhooks-dispatcher@broker')
  for (const name of stackServiceNames) {
    const { AMQP_COMMANDS_URL } = serviceSettings(name, stack)
    expect([name, AMQP_COMMANDS_URL !== undefined]).toEqual([name, name === 'checkout'])
  }
})

test('each service logs in to PostgreSQL with the role of its own schema', () => {
  expect(serviceSettings('webhooks-dispatcher', stack).DATABASE_URL).toBe('postgres://cobro_webhooks@host/cobro')
  expect(serviceSettings('audit-log', stack).DATABASE_URL).toBe('postgres://cobro_audit@host/cobro')
})

test('the public key set contains no private key', () => {
  expect(publicKeySet(stack.secrets.internal_signing_key)).toEqual({
    keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'public', kid: 'k' }],
  })
})
