import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CommandData, CommandName, EventData, Message } from '@cobro/contracts'
import { commands as declaredCommands } from '@cobro/contracts'
import { busNames } from '@cobro/contracts/broker'
import { eventMessage, migrate } from '@cobro/database'
import { keyCaller, testIdentity } from '@cobro/http/test-identity'
import { declareBus, openPublisher, startConsumer } from '@cobro/messaging'
import { createLogger, type Environment, secret } from '@cobro/runtime'
import { migratedDatabase, tapEvents, testNamespace, waitFor } from '@cobro/testing'
import { exportJWK, generateKeyPair } from 'jose'
import { z } from 'zod'
import { migrations } from '../migrations/all-checkout.ts'
import { startCheckout } from '../src/start-checkout.ts'
import { velocitySettings } from '../src/velocity-rules/velocity-settings.ts'

const logger = createLogger('checkout', process.env.LOG_LEVEL ?? 'silent')

type ReportedOutcome = Pick<EventData<'payment_attempt.settled'>, 'status' | 'voucher'> & { decline_reason?: string }

/** Starts the service on its own database and namespace. `amqpUrl` may have no broker. */
export async function checkoutUnderTest(
  options: {
    amqpUrl?: string
    environment?: Environment
    /** Settings of the rules against card testing, as text. */
    velocity?: Partial<Record<keyof typeof velocitySettings, string>>
  } = {},
) {
  const database = await migratedDatabase({ schema: 'checkout', migrations, migrate })
  const { url, namespace, login, cleanup } = testNamespace()
  await declareBus(await login('migrate'), namespace, ['checkout.events', 'transactions.commands'])
  const tap = await tapEvents({ url, namespace })
  const acquirer = await fakeAcquirer()
  const identity = await testIdentity('checkout')
  const releases: (() => unknown)[] = []
  const port = await startCheckout(
    {
      COBRO_ENV: options.environment ?? 'sandbox',
      HOST: '127.0.0.1',
      PORT: 0,
      LOG_LEVEL: 'silent',
      DRAIN_MS: 0,
      DATABASE_URL: secret(database.url('checkout')),
      AMQP_URL: secret(options.amqpUrl ?? (await login('checkout'))),
      AMQP_COMMANDS_URL: secret(options.amqpUrl ?? (await login('checkout-commands'))),
      AMQP_NAMESPACE: namespace,
      INTERNAL_JWKS: identity.jwks,
      HOSTED_URL: 'https://pay.example.com',
      ACQUIRER_URL: acquirer.url,
      ACQUIRER_API_KEY: secret('test'),
      CURRENCIES: ['MXN', 'USD'],
      ...z.object(velocitySettings).parse(options.velocity ?? {}),
    },
    release => void releases.push(release),
    logger,
  )
  const address = `http://127.0.0.1:${port}`
  await loadEncryptionKey(address, identity.headers)
  return {
    url: address,
    headers: identity.headers,
    database,
    tap,
    bus: { url, namespace },
    deadLetterQueue: busNames(namespace).deadLetter('checkout.events'),
    stop: async () => {
      for (const release of releases.toReversed()) await release()
      await acquirer.close()
      await tap.close()
      await cleanup()
      await database.drop()
    },
  }
}

/**
 * Reads a session until the service has the acquirer's encryption key, which it then keeps for
 * longer than a test takes. The first request for the key has a time limit of three seconds.
 */
async function loadEncryptionKey(url: string, headers: Awaited<ReturnType<typeof testIdentity>>['headers']) {
  const opened = await fetch(`${url}/checkout/v1/sessions`, {
    method: 'POST',
    headers: { ...(await headers(keyCaller())), 'content-type': 'application/json' },
    body: JSON.stringify({ amount_total: 100, return_url: 'https://shop.mx/back' }),
  })
  const { id } = (await opened.json()) as { id: string }
  await waitFor(
    async () => (await fetch(`${url}/hosted/v1/checkout/${id}`, { headers: await headers({ kind: 'payer' }) })).ok,
  )
}

/**
 * Replaces the transactions service as consumer of its real queue. `decide` returns an outcome,
 * "pending", or nothing to simulate a crash. `via` selects how it reaches checkout; `alter` changes its message.
 */
export function fakeTransactions(
  bus: { url: string; namespace: string },
  decide: (command: CommandData<'payment.charge' | 'payment.voucher'>) => ReportedOutcome | 'pending' | undefined,
  via: 'reply' | 'event' | 'both' = 'both',
  alter: (message: Message) => Message = message => message,
) {
  const publisher = openPublisher({ ...bus, logger })
  const commands: { name: string; data: Record<string, unknown> }[] = []
  const unanswered: (() => void)[] = []
  const publish = async (message: Message) => {
    await waitFor(() => publisher.connected())
    const { id, name } = message
    await publisher.publish('events', name, { id, body: Buffer.from(JSON.stringify(message)) })
  }
  const handle = async (received: Message, reply: (answer: Message) => void) => {
    // No command about a payment: the daily check, which is due when a test run has lasted an hour.
    if (received.name === 'reconciliation.list_payments') return
    commands.push(received)
    if (received.name === 'payment.resolve') return
    const command = z.decode(
      declaredCommands[received.name as CommandName].data as z.ZodType,
      received.data as never,
    ) as CommandData<'payment.charge' | 'payment.voucher'>
    const outcome = decide(command)
    const { payment_intent_id, attempt } = command
    const pending = { ...received, name: 'payment_attempt.pending', data: { payment_intent_id, attempt } }
    if (outcome === undefined || via === 'event') unanswered.push(() => reply(pending))
    if (outcome === undefined) return
    if (outcome === 'pending') return reply(pending)
    const message = alter(outcomeMessage(command, outcome))
    if (via !== 'reply') await publish(message)
    if (via !== 'event') reply(message)
  }
  const consumer = startConsumer({
    ...bus,
    queue: 'transactions.commands',
    prefetch: 50,
    publisher,
    handle,
    isUnavailable: () => false,
    ping: async () => {},
    logger,
  })
  return {
    commands,
    /** Publishes an event, also before the connection is open. */
    publish,
    stop: async () => {
      // Otherwise the calls without an outcome would wait for replies until their timeout, and a stop of the service for these calls.
      for (const answer of unanswered) answer()
      await consumer.stop()
      await publisher.close()
    },
  }
}

/** Returns the message with which transactions reports an outcome. */
export function outcomeMessage(
  command: Pick<
    CommandData<'payment.charge'>,
    'payment_intent_id' | 'attempt' | 'payable_id' | 'merchant_id' | 'correlation_id'
  >,
  outcome: ReportedOutcome,
): Message {
  const { payment_intent_id, attempt, payable_id, merchant_id, correlation_id } = command
  return eventMessage(
    'payment_attempt.settled',
    {
      payment_intent_id,
      attempt,
      status: outcome.status,
      decline_reason: (outcome.decline_reason ?? null) as never,
      transaction_id: 'txn_01jd0000000000000000000000',
      voucher: outcome.voucher ?? null,
    },
    { merchant_id, correlation_id, target_id: payable_id },
  )
}

/** An HTTP server that replaces the acquirer: it has a key, and a token for each readable card. */
async function fakeAcquirer() {
  const { publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
  const key = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ECDH-ES', use: 'enc' }
  // Never closes an idle connection: after a pause of this process, the service could send a request on one that is being closed.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const answer = (status: number, json: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    if (request.method === 'GET') return answer(200, { keys: [key] })
    if (JSON.parse(body).card_jwe === 'unreadable') return answer(400, { error: 'invalid_request: card_jwe' })
    if (JSON.parse(body).card_jwe === 'broken') return answer(500, { error: 'internal_error' })
    const card = { token: 'tok_1', brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2031 }
    // Only these cards have a fingerprint.
    const [, fingerprint] = /^card (.*)$/.exec(JSON.parse(body).card_jwe) ?? []
    answer(201, { ...card, ...(fingerprint && { fingerprint }) })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
