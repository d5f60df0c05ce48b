import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CommandData, CommandName, EventData, Message } from '@cobro/contracts'
import { commands } from '@cobro/contracts'
import { eventMessage, migrate } from '@cobro/database'
import { testIdentity } from '@cobro/http/test-identity'
import { busNames, declareBus, openPublisher, startConsumer, topologyNames } from '@cobro/messaging'
import { createLogger, secret } from '@cobro/runtime'
import { migratedDatabase, tapEvents, testNamespace, waitFor } from '@cobro/testing'
import { exportJWK, generateKeyPair } from 'jose'
import { z } from 'zod'
import { migrations } from '../migrations/all-checkout.ts'
import { startCheckout } from '../src/start-checkout.ts'

const logger = createLogger('checkout', process.env.LOG_LEVEL ?? 'silent')

type Outcome = Pick<EventData<'payment_attempt.settled'>, 'status' | 'voucher'> & { decline_reason?: string }

/** Starts the service on a database and namespace of its own. `amqpUrl` may point to where no broker is. */
export async function checkoutUnderTest(options: { amqpUrl?: string; environment?: 'sandbox' | 'production' } = {}) {
  const database = await migratedDatabase({ schema: 'checkout', migrations, migrate })
  const { url, namespace, cleanup } = testNamespace()
  await declareBus(url, namespace)
  const tap = await tapEvents({ url, namespace })
  const acquirer = await standInAcquirer()
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
      AMQP_URL: secret(options.amqpUrl ?? url),
      AMQP_NAMESPACE: namespace,
      INTERNAL_JWKS: identity.jwks,
      HOSTED_URL: 'https://pay.example.com',
      ACQUIRER_URL: acquirer.url,
      ACQUIRER_API_KEY: secret('test'),
      CURRENCIES: ['MXN', 'USD'],
    },
    release => void releases.push(release),
    logger,
  )
  return {
    url: `http://127.0.0.1:${port}`,
    headers: identity.headers,
    database,
    tap,
    bus: { url, namespace },
    deadLetterQueue: busNames(namespace).deadLetter('checkout.events'),
    stop: async () => {
      for (const release of releases.toReversed()) await release()
      await acquirer.close()
      await tap.close()
      await cleanup(topologyNames(namespace))
      await database.drop()
    },
  }
}

/**
 * Stands where the transactions service does: takes its commands off the real queue and does as told. `decide` may give an
 * outcome, "pending", or nothing for a service that dies before it answers. `via` says how checkout hears of it, `asTold` in which words.
 */
export function standInTransactions(
  bus: { url: string; namespace: string },
  decide: (command: CommandData<'payment.charge' | 'payment.voucher'>) => Outcome | 'pending' | undefined,
  via: 'reply' | 'event' | 'both' = 'both',
  asTold: (settled: Message) => Message = settled => settled,
) {
  const publisher = openPublisher({ ...bus, logger })
  const heard: { name: string; data: Record<string, unknown> }[] = []
  const handle = async (message: Message, reply: (answer: Message) => void) => {
    heard.push(message)
    if (message.name === 'payment.resolve') return
    await waitFor(() => publisher.connected())
    const command = z.decode(
      commands[message.name as CommandName].data as z.ZodType,
      message.data as never,
    ) as CommandData<'payment.charge' | 'payment.voucher'>
    const outcome = decide(command)
    if (outcome === undefined) return
    if (outcome === 'pending') return reply({ ...message, name: 'payment_attempt.pending', data: {} })
    const settled = asTold(settledMessage(command, outcome))
    if (via !== 'reply')
      await publisher.publish('events', settled.name, { id: settled.id, body: Buffer.from(JSON.stringify(settled)) })
    if (via !== 'event') reply(settled)
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
    heard,
    publisher,
    stop: async () => {
      await consumer.stop()
      await publisher.close()
    },
  }
}

/** The message by which transactions tells an outcome. */
export function settledMessage(
  command: Pick<
    CommandData<'payment.charge'>,
    'payment_intent_id' | 'attempt' | 'payable_id' | 'merchant_id' | 'correlation_id'
  >,
  outcome: Outcome,
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

/** An HTTP server where the acquirer is: gives a key to encrypt to, and a token for any card but one that it cannot read. */
async function standInAcquirer() {
  const { publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
  const key = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ECDH-ES', use: 'enc' }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const answer = (status: number, json: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    if (request.method === 'GET') return answer(200, { keys: [key] })
    if (JSON.parse(body).card_jwe === 'unreadable') return answer(400, { error: 'invalid_request: card_jwe' })
    if (JSON.parse(body).card_jwe === 'broken') return answer(500, { error: 'internal_error' })
    answer(201, { token: 'tok_1', brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2031 })
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
