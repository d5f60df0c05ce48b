import type { Channel, ConsumeMessage } from 'amqplib'

/** What became of the messages that one channel delivered. */
export interface Acknowledgements {
  /** Notes a delivery, whether it is handled or not: one that nobody noted would be acknowledged along with later ones. */
  delivered(message: ConsumeMessage): void
  /** Acknowledges a message, together with all others that end in the same turn of the event loop. */
  ack(message: ConsumeMessage): void
  /** Sends what waits for the end of the turn. */
  flush(): void
}

/**
 * Gathers acknowledgements. Where all deliveries up to one are done, which is the rule where messages are stored by the batch,
 * a single frame says so of all of them; to write a frame for each took a quarter of such a service's time.
 */
export function gatherAcknowledgements(
  channel: Pick<Channel, 'ack'>,
  onFailure: (error: unknown, messages: number) => void,
): Acknowledgements {
  // Delivery tags ascend, so the first one of the set is the oldest that is not done.
  const open = new Set<number>()
  let done: ConsumeMessage[] = []
  const flush = () => {
    const settled = done.toSorted((a, b) => a.fields.deliveryTag - b.fields.deliveryTag)
    done = []
    for (const { fields } of settled) open.delete(fields.deliveryTag)
    const [oldestOpen = Number.POSITIVE_INFINITY] = open
    const together = settled.filter(({ fields }) => fields.deliveryTag < oldestOpen)
    const last = together.at(-1)
    try {
      if (last) channel.ack(last, together.length > 1)
      for (const message of settled.slice(together.length)) channel.ack(message)
    } catch (error) {
      // The channel is gone: the broker delivers them again, to whoever consumes next.
      onFailure(error, settled.length)
    }
  }
  return {
    delivered: ({ fields }) => void open.add(fields.deliveryTag),
    ack: message => {
      if (done.push(message) === 1) process.nextTick(flush)
    },
    flush,
  }
}
