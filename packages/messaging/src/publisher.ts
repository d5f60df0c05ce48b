import type { Logger } from '@cobro/runtime'
import type { ConfirmChannel, Options } from 'amqplib'
import { keepConnected } from './keep-connected.ts'
import { busNames, declareTopology, type QueueName } from './topology.ts'

/** Says that a message was surely not handed to the broker: there was no connection. */
export class BrokerUnavailable extends Error {
  constructor() {
    super('RabbitMQ is away')
    this.name = 'BrokerUnavailable'
  }
}

/** What is published: bytes as they are, under the id by which consumers know them again. */
export interface Outgoing {
  id: string
  body: Buffer
  correlationId?: string | null
  headers?: Record<string, unknown>
}

/** Publishes with confirms. Each promise resolves once the broker has taken the message, and rejects when that is not sure. */
export interface Publisher {
  connected(): boolean
  publish(road: 'events' | 'commands', name: string, message: Outgoing): Promise<void>
  retryLater(queue: QueueName, message: Outgoing): Promise<void>
  park(queue: QueueName, message: Outgoing): Promise<void>
  close(): Promise<void>
}

/** Opens a publisher with a connection of its own, so that a blocked publisher never holds up acknowledgements. */
export function openPublisher(options: { url: string; namespace: string; logger: Logger }): Publisher {
  const { namespace } = options
  const names = busNames(namespace)
  let channel: ConfirmChannel | undefined
  const connection = keepConnected({
    ...options,
    setup: async model => {
      const opened = await model.createConfirmChannel()
      await declareTopology(opened, namespace)
      // A channel alone may be closed by the broker (an exchange that somebody deleted): begin again as a whole.
      opened.once('close', () => {
        channel = undefined
        void model.close().catch(() => undefined)
      })
      channel = opened
    },
  })
  const send = (exchange: string, key: string, message: Outgoing) =>
    channel ? publishConfirmed(channel, exchange, key, message) : Promise.reject(new BrokerUnavailable())
  return {
    connected: () => connection.connected() && channel !== undefined,
    publish: (road, name, message) => send(names.exchange(road), name, message),
    retryLater: (queue, message) => send('', names.retry(queue), message),
    park: (queue, message) => send(names.exchange('parking'), names.queue(queue), message),
    close: connection.close,
  }
}

const returnedIds = new WeakMap<ConfirmChannel, Set<string>>()

/**
 * Publishes one message and waits for the broker's confirm. A message that no queue takes comes back before its confirm
 * and counts as failed.
 */
export function publishConfirmed(
  channel: ConfirmChannel,
  exchange: string,
  key: string,
  message: Outgoing,
  more: Options.Publish = {},
): Promise<void> {
  const returned = returnsOf(channel)
  const properties: Options.Publish = {
    persistent: true,
    mandatory: true,
    contentType: 'application/json',
    messageId: message.id,
    headers: message.headers ?? {},
    ...(message.correlationId ? { correlationId: message.correlationId } : {}),
    ...more,
  }
  return new Promise((resolve, reject) => {
    channel.publish(exchange, key, message.body, properties, error => {
      if (error) reject(new Error('RabbitMQ did not confirm a message', { cause: error }))
      else if (returned.delete(message.id)) reject(new Error(`RabbitMQ has no queue for ${key}`))
      else resolve()
    })
  })
}

function returnsOf(channel: ConfirmChannel): Set<string> {
  const known = returnedIds.get(channel)
  if (known) return known
  const returned = new Set<string>()
  // Without this listener one bad publish would take the whole connection with it.
  channel.on('error', () => undefined)
  channel.on('return', message => returned.add(String(message.properties.messageId)))
  returnedIds.set(channel, returned)
  return returned
}
