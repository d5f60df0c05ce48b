import { randomBytes } from 'node:crypto'
import { migrate } from '@cobro/database'
import { testIdentity } from '@cobro/http/test-identity'
import { declareBus } from '@cobro/messaging'
import { createLogger, type Logger, secret } from '@cobro/runtime'
import { migratedDatabase, testNamespace } from '@cobro/testing'
import { migrations } from '../migrations/all-transactions.ts'
import type { Config } from '../src/config.ts'
import { startTransactions } from '../src/start-transactions.ts'

/** Starts the service with its own database and namespace, and with the given acquirer and settings. */
export async function transactionsUnderTest(
  acquirerUrl: string,
  settings: Partial<Config> = {},
  logger: Logger = createLogger('transactions', process.env.LOG_LEVEL ?? 'silent'),
) {
  const database = await migratedDatabase({ schema: 'transactions', migrations, migrate })
  const { url: amqpUrl, namespace, login, readyMessageCount, cleanup } = testNamespace()
  await declareBus(await login('migrate'), namespace, ['transactions.events', 'transactions.commands'])
  const identity = await testIdentity('transactions')
  const releases: (() => unknown)[] = []
  const port = await startTransactions(
    {
      AMQP_URL: secret(await login('transactions')),
      AMQP_NAMESPACE: namespace,
      COBRO_ENV: 'sandbox',
      HOST: '127.0.0.1',
      PORT: 0,
      LOG_LEVEL: 'silent',
      DRAIN_MS: 0,
      DATABASE_URL: secret(database.url('transactions')),
      INTERNAL_JWKS: identity.jwks,
      ACQUIRER_URL: acquirerUrl,
      ACQUIRER_API_KEY: secret('test'),
      ENCRYPTION_KEYS: [{ id: 'test', bytes: secret(randomBytes(32)) }],
      CURRENCIES: ['MXN', 'USD'],
      SUPPORT_REFUND_CENTS: 100_000,
      CONFIRMED_REFUND_CENTS: 1_000_000,
      DUAL_CONTROL_CENTS: 5_000_000,
      ...settings,
    },
    release => void releases.push(release),
    logger,
  )
  return {
    url: `http://127.0.0.1:${port}`,
    headers: identity.headers,
    database,
    namespace,
    amqpUrl,
    readyMessageCount,
    stop: async () => {
      for (const release of releases.toReversed()) await release()
      await cleanup()
      await database.drop()
    },
  }
}
