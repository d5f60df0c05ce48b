import type { Message } from '@cobro/contracts'
import { busNames } from '@cobro/contracts/broker'
import type { Channel, ChannelModel, ConsumeMessage, Options } from 'amqplib'

/** The connection and channel that delivered a command, and the namespace. */
interface Delivering {
  model: ChannelModel
  channel: Channel
  namespace: string
}

/**
 * Replies to the sender of a command. A lost reply is harmless: an event also has the outcome.
 * Publishes to the reply exchange only, so that a sender cannot name any other queue.
 */
export function sendReply({ model, channel, namespace }: Delivering, raw: ConsumeMessage, answer: Message): void {
  const { messageId } = raw.properties
  const replyTo = String(raw.properties.replyTo ?? '')
  const { replyExchange } = busNames(namespace)
  const content = Buffer.from(JSON.stringify(answer))
  const properties = { correlationId: String(messageId), messageId: answer.id }
  if (replyTo.startsWith(`${replyExchange}.`)) channel.publish(replyExchange, replyTo, content, properties)
  else if (replyTo.startsWith('amq.rabbitmq.reply-to.'))
    void replyDirectly(model, replyTo, content, properties).catch(() => undefined)
}

/**
 * Replies to a command of the release before, by RabbitMQ's direct reply-to. The login of a service
 * may not write to the default exchange, and RabbitMQ closes a channel that tries. So this uses a channel of its
 * own. The next release deletes it.
 */
async function replyDirectly(model: ChannelModel, replyTo: string, content: Buffer, properties: Options.Publish) {
  const channel = await model.createChannel()
  channel.on('error', () => undefined)
  channel.publish('', replyTo, content, properties)
  await channel.close()
}
