import type { ConfirmChannel, GetMessage } from 'amqplib'
import { withBroker } from './connect-broker.ts'
import { parseMessage } from './parse-message.ts'
import { publishConfirmed } from './publisher.ts'
import { busNames, type QueueName } from './topology.ts'

/** A message that its consumer could not handle, as an operator sees it. */
export interface ParkedMessage {
  queue: QueueName
  id: string
  /** Null, as with the other fields of a message, where the bytes are none. */
  name: string | null
  occurred_at: string | null
  merchant_id: string | null
  correlation_id: string | null
  attempts: number
  reason: string
}

interface Bus {
  url: string
  namespace: string
}

/** What says how a message came to be parked. One that goes back to its consumer begins anew. */
const traces = /^x-(attempt|reason|death|delivery-count|acquired-count|(first|last)-death-.*)$/

/**
 * Goes once through what is parked of a queue, and has `chosen` say which messages go back to their consumer. Each is published
 * where it belongs, and let go of only once the broker has it there: none is lost, though one may be there twice where this ends in
 * between. They are not put back by refusing them, because RabbitMQ 4 gives a message up that was refused twenty times. Gives how
 * many went back.
 */
export function throughParked(
  { url, namespace }: Bus,
  queue: QueueName,
  chosen: (message: ParkedMessage) => boolean,
): Promise<number> {
  const names = busNames(namespace)
  return withBroker(url, async model => {
    const channel = await model.createConfirmChannel()
    channel.on('error', () => undefined)
    const { messageCount } = await channel.checkQueue(names.parked(queue))
    let requeued = 0
    for (let left = messageCount; left > 0; left--) {
      const raw = await channel.get(names.parked(queue))
      if (!raw) break
      const goesBack = chosen(parkedMessage(queue, raw))
      await moveTo(channel, goesBack ? names.queue(queue) : names.parked(queue), raw, goesBack)
      if (goesBack) requeued++
    }
    await channel.close()
    return requeued
  })
}

async function moveTo(channel: ConfirmChannel, target: string, raw: GetMessage, anew: boolean): Promise<void> {
  const { messageId, correlationId, headers = {} } = raw.properties
  const kept = Object.entries(headers).filter(([name]) => !anew || !traces.test(name))
  await publishConfirmed(channel, '', target, {
    id: String(messageId),
    body: raw.content,
    correlationId,
    headers: Object.fromEntries(kept),
  })
  channel.ack(raw)
}

function parkedMessage(queue: QueueName, { content, properties }: GetMessage): ParkedMessage {
  const { messageId, headers = {} } = properties
  const message = parseMessage(content)
  const [death] = (headers['x-death'] as unknown as { reason: string }[] | undefined) ?? []
  return {
    queue,
    id: String(messageId),
    name: message?.name ?? null,
    occurred_at: message?.occurred_at ?? null,
    merchant_id: message?.merchant_id ?? null,
    correlation_id: message?.correlation_id ?? null,
    attempts: Number(headers['x-attempt'] ?? 0),
    reason: String(headers['x-reason'] ?? death?.reason ?? ''),
  }
}
