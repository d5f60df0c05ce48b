import { connect } from 'amqplib'

/** What passed over a namespace's event exchange since the tap was opened. */
export interface EventTap {
  /** Every message so far, in the order of arrival, as its JSON. */
  messages: TappedMessage[]
  /** The names of the events of one lifecycle, or of all. */
  names(correlationId?: string): string[]
  close(): Promise<void>
}

export interface TappedMessage {
  id: string
  name: string
  merchant_id: string | null
  target_id: string | null
  correlation_id: string | null
  request_id: string | null
  actor: { type: string; id: string | null }
  data: Record<string, any>
}

/** Listens to every event of a namespace whose topology is declared. */
export async function tapEvents({ url, namespace }: { url: string; namespace: string }): Promise<EventTap> {
  const model = await connect(url, { noDelay: true })
  const channel = await model.createChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true })
  await channel.bindQueue(queue, `${namespace}.events`, '#')
  const messages: TappedMessage[] = []
  const onMessage = (raw: { content: Buffer } | null) =>
    void (raw && messages.push(JSON.parse(raw.content.toString('utf8'))))
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
