import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { Message } from '@cobro/contracts'
import { busNames } from '@cobro/contracts/broker'
import { type Logger, withTimeout } from '@cobro/runtime'
import type { ConfirmChannel, ConsumeMessage } from 'amqplib'
import { keepConnected } from './keep-connected.ts'
import { parseMessage } from './parse-message.ts'
import { publishConfirmed } from './publisher.ts'
import { checkTopology } from './topology.ts'

/**
 * The result of a command: `not_sent` is certain, `unconfirmed` may have reached the broker,
 * `no_reply` did reach it. Only after `not_sent` may the caller assume that the command will not be executed.
 */
export type CommandResult = { outcome: 'not_sent' | 'unconfirmed' | 'no_reply' } | { outcome: 'reply'; reply: Message }

/** How long a request waits for a connection that is being opened. */
const connectTimeoutMs = 2_000

/** Sends commands and waits for their replies (request/reply, RPC). */
export interface CommandClient {
  connected(): boolean
  request(command: Message, timeoutMs: number): Promise<CommandResult>
  close(): Promise<void>
}

/**
 * Opens a channel for commands with replies, which are for this process only, so such a command
 * bypasses the outbox. Each connection has a queue of its own for them, which ends with it.
 */
export function openCommandClient(options: { url: string; namespace: string; logger: Logger }): CommandClient {
  const names = busNames(options.namespace)
  const waiting = new Map<string, (reply: Message) => void>()
  let current: { channel: ConfirmChannel; replyTo: string } | undefined
  const opening = new EventEmitter().setMaxListeners(0)
  const onReply = (raw: ConsumeMessage | null) => {
    const reply = raw && parseMessage(raw.content)
    if (reply) waiting.get(String(raw.properties.correlationId))?.(reply)
  }
  const connection = keepConnected({
    ...options,
    setup: async model => {
      const channel = await model.createConfirmChannel()
      await checkTopology(channel, options.namespace)
      // A new name each time: the broker may not have noticed yet that the last connection has ended.
      const replyTo = names.reply(randomUUID())
      await channel.assertQueue(replyTo, { exclusive: true, durable: false })
      await channel.bindQueue(replyTo, names.replyExchange, replyTo)
      await channel.consume(replyTo, onReply, { noAck: true })
      channel.once('close', () => {
        if (current?.channel === channel) current = undefined
        void model.close().catch(() => undefined)
      })
      current = { channel, replyTo }
      opening.emit('open')
    },
  })
  const request = async (command: Message, timeoutMs: number): Promise<CommandResult> => {
    const endsAt = performance.now() + timeoutMs
    if (!current) await openOrTimeout(opening, Math.min(connectTimeoutMs, timeoutMs))
    const open = current
    if (!open || connection.blocked()) return { outcome: 'not_sent' }
    const remainingMs = () => endsAt - performance.now()
    const replied = new Promise<Message>(resolve => waiting.set(command.id, resolve))
    try {
      const { id, name, correlation_id: correlationId } = command
      const message = { id, body: Buffer.from(JSON.stringify(command)), correlationId }
      const published = publishConfirmed(open.channel, names.exchange('commands'), name, message, {
        replyTo: open.replyTo,
      })
      // A broker that is short of memory or disk says so after the first message, and confirms that one once it recovers.
      const confirmed = await withTimeout(
        remainingMs(),
        published.then(() => true),
      )
      if (!confirmed) return { outcome: 'unconfirmed' }
      const reply = await withTimeout(remainingMs(), replied)
      return reply ? { outcome: 'reply', reply } : { outcome: 'no_reply' }
    } catch (error) {
      options.logger.warn({ err: error, command: command.name }, 'RabbitMQ did not confirm a command')
      return { outcome: 'unconfirmed' }
    } finally {
      waiting.delete(command.id)
    }
  }
  return { connected: connection.connected, request, close: connection.close }
}

/** Waits for the event `open`. Unlike a promise, the emitter keeps nothing of those that have stopped waiting. */
async function openOrTimeout(opening: EventEmitter, ms: number): Promise<void> {
  const signal = AbortSignal.timeout(Math.max(Math.ceil(ms), 0))
  await once(opening, 'open', { signal }).catch(() => undefined)
}
