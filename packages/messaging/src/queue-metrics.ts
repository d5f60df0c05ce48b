import { busNames, type QueueName } from '@cobro/contracts/broker'
import { type Measurement, meter, observeGauge } from '@cobro/runtime'
import type { Channel } from 'amqplib'

/** How a consumer ended its handling of a message. */
export type MessageOutcome = 'done' | 'retried' | 'dead_lettered' | 'unacknowledged'

export const consumeDuration = meter.createHistogram('cobro_consumer_duration_seconds', {
  description: 'Time from receiving a message to its acknowledgement, by queue and outcome',
  unit: 's',
  advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] },
})

/** Registers the message counts of a consumer's three queues. Every replica reports the same. */
export function registerQueueMetrics(namespace: string, queue: QueueName, channelOf: () => Channel | undefined): void {
  observeGauge(
    'cobro_queue_messages',
    { description: 'Messages that are not in flight, by queue and state', attributes: { queue } },
    async () => {
      const channel = channelOf()
      if (!channel) throw new Error('RabbitMQ is unavailable')
      return countMessages(channel, namespace, queue)
    },
  )
}

/** Returns how many messages of a consumer are ready, wait for a retry and are dead-lettered. */
export function countMessages(channel: Channel, namespace: string, queue: QueueName): Promise<Measurement[]> {
  const names = busNames(namespace)
  const states = { ready: names.queue(queue), retry: names.retry(queue), dead_letter: names.deadLetter(queue) }
  const counted = Object.entries(states).map(async ([state, name]) => {
    const { messageCount: value } = await channel.checkQueue(name)
    return { value, attributes: { queue, state } }
  })
  return Promise.all(counted)
}
