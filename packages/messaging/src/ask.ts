import { type Message, message as messageSchema } from '@cobro/contracts'
import type { Logger } from '@cobro/runtime'
import type { ConfirmChannel, ConsumeMessage } from 'amqplib'
import { keepConnected } from './keep-connected.ts'
import { publishConfirmed } from './publisher.ts'
import { busNames, declareTopology } from './topology.ts'

/**
 * What asking came to: `not_sent` is sure, `unconfirmed` may or may not have reached the broker, `no_reply` did.
 * Only after `not_sent` may the asker take the command for never given.
 */
export type Asked = { outcome: 'not_sent' | 'unconfirmed' | 'no_reply' } | { outcome: 'reply'; reply: Message }

/** Sends commands and waits for their replies. */
export interface Asker {
  connected(): boolean
  ask(command: Message, timeoutMs: number): Promise<Asked>
  close(): Promise<void>
}

/**
 * Opens a channel for commands with replies. Direct reply-to works only on the channel that consumes the replies, so
 * such a command cannot go through the outbox.
 */
export function openAsker(options: { url: string; namespace: string; logger: Logger }): Asker {
  const exchange = busNames(options.namespace).exchange('commands')
  const waiting = new Map<string, (reply: Message) => void>()
  let channel: ConfirmChannel | undefined
  const onReply = (raw: ConsumeMessage | null) => {
    const resolve = raw ? waiting.get(String(raw.properties.correlationId)) : undefined
    const reply = raw ? messageSchema.safeParse(JSON.parse(raw.content.toString('utf8'))) : undefined
    if (resolve && reply?.success) resolve(reply.data)
  }
  const connection = keepConnected({
    ...options,
    setup: async model => {
      const opened = await model.createConfirmChannel()
      await declareTopology(opened, options.namespace)
      await opened.consume('amq.rabbitmq.reply-to', onReply, { noAck: true })
      opened.once('close', () => (channel = undefined))
      channel = opened
    },
  })
  const ask = async (command: Message, timeoutMs: number): Promise<Asked> => {
    if (!channel) return { outcome: 'not_sent' }
    const replied = new Promise<Message>(resolve => waiting.set(command.id, resolve))
    const outgoing = {
      id: command.id,
      body: Buffer.from(JSON.stringify(command)),
      correlationId: command.correlation_id,
    }
    let timer: NodeJS.Timeout | undefined
    try {
      await publishConfirmed(channel, exchange, command.name, outgoing, { replyTo: 'amq.rabbitmq.reply-to' })
      const late = new Promise<undefined>(resolve => {
        timer = setTimeout(() => resolve(undefined), timeoutMs)
      })
      const reply = await Promise.race([replied, late])
      return reply ? { outcome: 'reply', reply } : { outcome: 'no_reply' }
    } catch (error) {
      options.logger.warn({ err: error, command: command.name }, 'a command was not confirmed')
      return { outcome: 'unconfirmed' }
    } finally {
      clearTimeout(timer)
      waiting.delete(command.id)
    }
  }
  return { connected: () => channel !== undefined, ask, close: connection.close }
}
