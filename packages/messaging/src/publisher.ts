import { busNames, type ExchangeName, failureKeys, type QueueName } from '@cobro/contracts/broker'
import type { Logger } from '@cobro/runtime'
import type { ConfirmChannel, Options } from 'amqplib'
import { keepConnected } from './keep-connected.ts'
import { checkTopology } from './topology.ts'

/** There was no connection, or the broker blocks it, so the message was certainly not published. */
export class BrokerUnavailable extends Error {
  constructor() {
    super('RabbitMQ is unavailable')
    this.name = 'BrokerUnavailable'
  }
}

/** A message to publish. Consumers detect duplicates by its id. */
export interface Outgoing {
  id: string
  body: Buffer
  correlationId?: string | null
  headers?: Record<string, unknown>
}

/** Publishes with confirms. Promises resolve once the broker confirms and reject if in doubt. */
export interface Publisher {
  connected(): boolean
  publish(exchange: ExchangeName, name: string, message: Outgoing): Promise<void>
  retryLater(queue: QueueName, message: Outgoing): Promise<void>
  deadLetter(queue: QueueName, message: Outgoing): Promise<void>
  close(): Promise<void>
}

/** Opens a publisher with its own connection: a blocked one must not delay acknowledgements. */
export function openPublisher(options: { url: string; namespace: string; logger: Logger }): Publisher {
  const { namespace } = options
  const names = busNames(namespace)
  let channel: ConfirmChannel | undefined
  const connection = keepConnected({
    ...options,
    setup: async model => {
      const opened = await model.createConfirmChannel()
      opened.on('error', error => options.logger.warn({ err: error }, 'a publisher channel failed'))
      await checkTopology(opened, namespace)
      // The broker may close a channel alone, for example after its exchange was deleted: reconnect.
      opened.once('close', () => {
        channel = undefined
        void model.close().catch(() => undefined)
      })
      channel = opened
    },
  })
  const send = (exchange: string, key: string, message: Outgoing) =>
    channel && !connection.blocked()
      ? publishConfirmed(channel, exchange, key, message)
      : Promise.reject(new BrokerUnavailable())
  return {
    connected: () => connection.connected() && channel !== undefined,
    publish: (exchange, name, message) => send(names.exchange(exchange), name, message),
    retryLater: (queue, message) => send(names.failureExchange(queue), failureKeys.retry, message),
    deadLetter: (queue, message) => send(names.failureExchange(queue), failureKeys.deadLetter, message),
    close: connection.close,
  }
}

/** How often the messages of a channel were returned, by their ids. A relay may publish one again before the first confirm. */
type Returned = Map<string, number>
const returnedIds = new WeakMap<ConfirmChannel, Returned>()

/**
 * Publishes one message and waits for the broker's confirm. Rejects if no queue is bound for it:
 * the broker returns such a message before confirming it. Leaves out the headers CC and BCC, which
 * route to further queues: the header of a received message would do so with the rights of its consumer.
 */
export function publishConfirmed(
  channel: ConfirmChannel,
  exchange: string,
  key: string,
  message: Outgoing,
  extra: Options.Publish = {},
): Promise<void> {
  const returned = returnsOf(channel)
  const { CC: _cc, BCC: _bcc, ...headers } = message.headers ?? {}
  const properties: Options.Publish = {
    persistent: true,
    mandatory: true,
    contentType: 'application/json',
    messageId: message.id,
    headers,
    ...(message.correlationId ? { correlationId: message.correlationId } : {}),
    ...extra,
  }
  return new Promise((resolve, reject) => {
    channel.publish(exchange, key, message.body, properties, error => {
      if (error) reject(new Error('RabbitMQ did not confirm a message', { cause: error }))
      else if (takeOne(returned, message.id)) reject(new Error(`RabbitMQ has no queue for ${key}`))
      else resolve()
    })
  })
}

function returnsOf(channel: ConfirmChannel): Returned {
  const known = returnedIds.get(channel)
  if (known) return known
  const returned: Returned = new Map()
  // Without this listener the error event of one failed publish would close the whole connection.
  channel.on('error', () => undefined)
  channel.on('return', ({ properties: { messageId } }) => {
    returned.set(String(messageId), (returned.get(String(messageId)) ?? 0) + 1)
  })
  returnedIds.set(channel, returned)
  return returned
}

/** Returns whether a message with this id was returned, and counts that once. */
function takeOne(returned: Returned, id: string): boolean {
  const count = returned.get(id)
  if (count === undefined) return false
  if (count === 1) returned.delete(id)
  else returned.set(id, count - 1)
  return true
}
