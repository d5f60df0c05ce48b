import { httpRequests, webhookAttempts } from '@cobro/contracts'
import { connect } from 'amqplib'

/** The events published in a namespace since the tap was opened, those in messages of many included. */
export interface EventTap {
  /** All messages so far, in order of arrival. */
  messages: {
    id: string
    name: string
    merchant_id: string | null
    target_id: string | null
    correlation_id: string | null
    request_id: string | null
    actor: { type: string; id: string | null }
    data: Record<string, any>
  }[]
  /** The names of the events with this correlation id, or of all events. */
  names(correlationId?: string): string[]
  close(): Promise<void>
}

/** Consumes every event of a namespace. The topology must already be declared. */
export async function tapEvents({ url, namespace }: { url: string; namespace: string }): Promise<EventTap> {
  const model = await connect(url, { noDelay: true })
  const channel = await model.createChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true })
  await channel.bindQueue(queue, `${namespace}.events`, '#')
  await channel.bindQueue(queue, `${namespace}.calls`, httpRequests.name)
  await channel.bindQueue(queue, `${namespace}.webhook-attempts`, webhookAttempts.name)
  const messages: EventTap['messages'] = []
  const onMessage = (raw: { content: Buffer } | null) => {
    if (raw) messages.push(...eventsOf(JSON.parse(raw.content.toString('utf8'))))
  }
  await channel.consume(queue, onMessage, { noAck: true })
  return {
    messages,
    names: correlationId =>
      messages
        .filter(message => correlationId === undefined || message.correlation_id === correlationId)
        .map(message => message.name),
    close: () => model.close(),
  }
}

type TappedEvent = EventTap['messages'][number]

const many = new Set([httpRequests.name, webhookAttempts.name])

/** Returns the events of a message of many, or the message itself. */
const eventsOf = (message: TappedEvent): TappedEvent[] =>
  many.has(message.name) ? message.data.events.map(({ event }: { event: TappedEvent }) => event) : [message]
