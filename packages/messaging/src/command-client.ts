import type { Message } from '@cobro/contracts'
import { type Logger, withTimeout } from '@cobro/runtime'
import type { ConfirmChannel, ConsumeMessage } from 'amqplib'
import { keepConnected } from './keep-connected.ts'
import { parseMessage } from './parse-message.ts'
import { type Outgoing, publishConfirmed } from './publisher.ts'
import { busNames, declareTopology } from './topology.ts'

/**
 * What asking came to: `not_sent` is sure, `unconfirmed` may or may not have reached the broker, `no_reply` did.
 * Only after `not_sent` may the asker take the command for never given.
 */
export type CommandResult = { outcome: 'not_sent' | 'unconfirmed' | 'no_reply' } | { outcome: 'reply'; reply: Message }

const replyTo = 'amq.rabbitmq.reply-to'
/** How long a connection that is on its way is waited for: after a start, or as RabbitMQ comes back. */
const connectWithinMs = 2_000

/** Sends commands and waits for their replies. */
export interface CommandClient {
  connected(): boolean
  request(command: Message, timeoutMs: number): Promise<CommandResult>
  close(): Promise<void>
}

/**
 * Opens a channel for commands with replies. Direct reply-to works only on the channel that consumes the replies, so
 * such a command cannot go through the outbox.
 */
export function openCommandClient(options: { url: string; namespace: string; logger: Logger }): CommandClient {
  const exchange = busNames(options.namespace).exchange('commands')
  const waiting = new Map<string, (reply: Message) => void>()
  let channel = Promise.withResolvers<ConfirmChannel>()
  const onReply = (raw: ConsumeMessage | null) => {
    const reply = raw && parseMessage(raw.content)
    if (reply) waiting.get(String(raw.properties.correlationId))?.(reply)
  }
  const connection = keepConnected({
    ...options,
    setup: async model => {
      const opened = await model.createConfirmChannel()
      await declareTopology(opened, options.namespace)
      await opened.consume(replyTo, onReply, { noAck: true })
      opened.once('close', () => {
        channel = Promise.withResolvers()
        void model.close().catch(() => undefined)
      })
      channel.resolve(opened)
    },
  })
  const request = async (command: Message, timeoutMs: number): Promise<CommandResult> => {
    const endsAt = performance.now() + timeoutMs
    const open = await withTimeout(Math.min(connectWithinMs, timeoutMs), channel.promise)
    if (!open) return { outcome: 'not_sent' }
    const leftMs = () => endsAt - performance.now()
    const replied = new Promise<Message>(resolve => waiting.set(command.id, resolve))
    try {
      const confirmed = publishConfirmed(open, exchange, command.name, outgoing(command), { replyTo })
      // A broker that is short of memory or disk confirms nothing for as long as it is: the asker's time is all it gets.
      if (
        !(await withTimeout(
          leftMs(),
          confirmed.then(() => true),
        ))
      )
        return { outcome: 'unconfirmed' }
      const reply = await withTimeout(leftMs(), replied)
      return reply ? { outcome: 'reply', reply } : { outcome: 'no_reply' }
    } catch (error) {
      options.logger.warn({ err: error, command: command.name }, 'a command was not confirmed')
      return { outcome: 'unconfirmed' }
    } finally {
      waiting.delete(command.id)
    }
  }
  return { connected: connection.connected, request, close: connection.close }
}

function outgoing(command: Message): Outgoing {
  return { id: command.id, body: Buffer.from(JSON.stringify(command)), correlationId: command.correlation_id }
}
