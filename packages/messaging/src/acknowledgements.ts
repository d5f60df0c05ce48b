import type { Channel, ConsumeMessage } from 'amqplib'

/** Tracks the messages that one channel delivered and acknowledges them. */
export interface Acknowledgements {
  /** Records a delivery, even if not handled, or else later ones would acknowledge it as well. */
  delivered(message: ConsumeMessage): void
  /** Acknowledges a message along with all others finished in the same event loop turn. */
  ack(message: ConsumeMessage): void
  /** Sends pending acknowledgements now. */
  flush(): void
}

/**
 * Combines acknowledgements: one frame acknowledges all deliveries up to one if all are done, as is
 * usual for consumers that store batches. One frame for each took a quarter of such a service's CPU time.
 */
export function gatherAcknowledgements(
  channel: Pick<Channel, 'ack'>,
  onFailure: (error: unknown, messages: number) => void,
): Acknowledgements {
  // Delivery tags ascend, so the first entry is the oldest unfinished delivery.
  const inFlight = new Set<number>()
  let done: ConsumeMessage[] = []
  const flush = () => {
    const finished = done.toSorted((a, b) => a.fields.deliveryTag - b.fields.deliveryTag)
    done = []
    for (const { fields } of finished) inFlight.delete(fields.deliveryTag)
    const [oldestInFlight = Number.POSITIVE_INFINITY] = inFlight
    const together = finished.filter(({ fields }) => fields.deliveryTag < oldestInFlight)
    const last = together.at(-1)
    try {
      if (last) channel.ack(last, together.length > 1)
      for (const message of finished.slice(together.length)) channel.ack(message)
    } catch (error) {
      // The channel is closed: the broker delivers these messages again.
      onFailure(error, finished.length)
    }
  }
  return {
    delivered: ({ fields }) => void inFlight.add(fields.deliveryTag),
    ack: message => {
      if (done.push(message) === 1) process.nextTick(flush)
    },
    flush,
  }
}
