import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Caller, newId } from '@cobro/contracts'
import { migrate, openDatabase } from '@cobro/database'
import { keyCaller, testIdentity } from '@cobro/http/test-identity'
import { declareBus } from '@cobro/messaging'
import {
  freePort,
  migratedDatabase,
  programEnv,
  queryGate,
  tapEvents,
  tcpProxy,
  testNamespace,
  waitFor,
} from '@cobro/testing'
import { migrations } from '../migrations/all-transactions.ts'
import { entities } from '../src/entities.ts'
import { checkLedger } from '../src/ledger-check/check-ledger.ts'
import { acquirerKey } from '../src/transactions/acquirer-key.ts'
import type { TransactionRow } from '../src/transactions/transaction-entity.ts'
import { paymentRow } from './payment-row.ts'
import { refundAcquirer } from './refund-acquirer.ts'

const folder = join(import.meta.dirname, '..')

/** Runs the service as a process that can be killed, with servers around it that can fail. `settings` are further variables. */
export async function refundFixture(settings: Record<string, string> = {}) {
  const database = await migratedDatabase({ schema: 'transactions', migrations, migrate })
  const { url: amqpUrl, namespace, login, cleanup } = testNamespace()
  await declareBus(await login('migrate'), namespace, ['transactions.events', 'transactions.commands'])
  const tap = await tapEvents({ url: amqpUrl, namespace })
  const statements = await queryGate(database.url('transactions'))
  const postgres = await tcpProxy(statements.url)
  const broker = await tcpProxy(await login('transactions'))
  const identity = await testIdentity('transactions')
  const db = openDatabase({ url: database.url('transactions'), schema: 'transactions', entities, poolSize: 2 })
  const merchant = keyCaller()
  const url = `http://127.0.0.1:${await freePort()}`
  const call = async (path: string, headers: Record<string, string>, body?: Buffer) =>
    (
      await fetch(`${url}${path}`, {
        method: 'POST',
        headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
        ...(body ? { body: new Uint8Array(body) } : {}),
      })
    ).status
  const acquirer = await refundAcquirer({
    pass: statements.pass,
    notify: async ({ body, signature }) => {
      const headers = await identity.headers({ kind: 'acquirer' })
      return call('/acquirer/v1/notifications', { ...headers, 'acquirer-signature': signature }, body)
    },
  })
  const env = {
    ...{ ...programEnv(), COBRO_ENV: 'sandbox', PORT: new URL(url).port, LOG_LEVEL: 'silent' },
    ...{ DATABASE_URL: postgres.url, AMQP_URL: broker.url, AMQP_NAMESPACE: namespace },
    ...{ INTERNAL_JWKS: JSON.stringify(identity.jwks), ACQUIRER_URL: acquirer.url, ACQUIRER_API_KEY: 'test' },
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    ...settings,
  }
  const ready = async () => {
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined)
    return answer?.status === 200
  }
  let child: ChildProcess | undefined
  const end = async (signal: NodeJS.Signals) => {
    if (child?.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }

  return {
    ...{ postgres, broker, acquirer, statements, database, tap },
    /** Makes one call. Rejects while the service is away. */
    post: async (caller: Caller, path: string, body?: object, more: Record<string, string> = {}) => {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { ...(await identity.headers(caller)), 'content-type': 'application/json', ...more },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return { status: response.status, body: (await response.json()) as any }
    },
    check: () => checkLedger(db),
    ready,
    /** Starts the service from its main module and waits until it is ready. */
    start: async () => {
      await end('SIGKILL')
      const args = ['--conditions=cobro-source', 'src/main.ts']
      const started = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
      child = started
      await waitFor(ready)
      return { kill: () => void started.kill('SIGKILL'), exited: once(started, 'exit').then(() => 'exited' as const) }
    },
    payment: () => paymentRow(db, { merchant_id: merchant.merchant_id }),
    /** Requests a refund under a key until it is accepted, also while the service restarts. */
    requestRefund: ({ id }: TransactionRow, key = newId('req')) =>
      waitFor(
        async () => {
          const headers = { ...(await identity.headers(merchant)), 'idempotency-key': key }
          expect(await call(`/api/transactions/${id}/refund`, headers)).toBe(202)
          return true
        },
        { timeoutMs: 120_000, intervalMs: 50 },
      ),
    /** Makes a refund due for its next check, and old enough to be reversed. */
    letTimePass: ({ id }: TransactionRow) =>
      database.query(
        `update transactions.refunds set next_check_at = now(), asked_at = asked_at - interval '2 minutes'
         where transaction_id = $1 and status = 'processing' and next_check_at > now()`,
        [id],
      ),
    /** Reads what a payment's refunds did to the tables, ledger, acquirer and event bus. */
    account: async (row: TransactionRow) => {
      const [now] = await database.query(
        `select status, refund_status, (select count(*) from transactions.outbox)::integer as unpublished,
           array(select status from transactions.refunds where transaction_id = $1 order by created_at) as refunds,
           (select coalesce(sum(amount_cents), 0)::integer from transactions.ledger_entries
            where transaction_id = $1 and event = 'refund' and credit = 'receivable_acquirer') as posted
         from transactions.transactions where id = $1`,
        [row.id],
      )
      const messages = tap.messages.filter(({ target_id, name }) => target_id === row.id && name === 'payment.refunded')
      return {
        ...(now as { status: string; refund_status: string; unpublished: number; refunds: string[]; posted: number }),
        refunded: acquirer.state.refundsOf.get(acquirerKey(row)) ?? 0,
        events: new Set(messages.map(message => message.id)).size,
      }
    },
    stop: async () => {
      await end('SIGTERM')
      await acquirer.close()
      await tap.close()
      await db.close()
      await Promise.all([postgres.close(), broker.close()])
      await statements.close()
      await cleanup()
      await database.drop()
    },
  }
}
