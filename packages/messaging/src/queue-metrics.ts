import { meter, observeGauge } from '@cobro/runtime'
import type { Channel } from 'amqplib'
import { busNames, type QueueName } from './topology.ts'

/** What became of a message that a consumer had in hand. */
export type MessageOutcome = 'done' | 'retried' | 'parked' | 'unacknowledged'

/** How long a message was in hand. */
export const consumeDuration = meter.createHistogram('cobro.consumer.duration', {
  description: 'How long a message was in hand, by its queue and what became of it',
  unit: 's',
  advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] },
})

/** Has what lies in a consumer's queue measured, and what lies parked or waits to be tried again. Each replica says the same. */
export function registerQueueMetrics(namespace: string, queue: QueueName, channelOf: () => Channel | undefined): void {
  const names = busNames(namespace)
  const states = { ready: names.queue(queue), retry: names.retry(queue), parked: names.parked(queue) }
  observeGauge(
    'cobro.queue.messages',
    { description: 'Messages that nobody has in hand, by their queue and why', attributes: { queue } },
    async () => {
      const channel = channelOf()
      if (!channel) throw new Error('RabbitMQ is away')
      const counted = Object.entries(states).map(async ([state, name]) => {
        const { messageCount: value } = await channel.checkQueue(name)
        return { value, attributes: { queue, state } }
      })
      return Promise.all(counted)
    },
  )
}
