import { setTimeout as sleep } from 'node:timers/promises'
import { busNames, type QueueName } from '@cobro/contracts/broker'
import { connect } from 'amqplib'

const timeoutMs = 10_000

/** Waits until each of these queues has a consumer, or for ten seconds: a service works before that, only later. */
export async function untilConsumed(input: {
  /** The administrator's URL of the broker. */
  amqpUrl: string
  namespace: string
  queues: readonly QueueName[]
  signal: AbortSignal
}): Promise<void> {
  const { amqpUrl, namespace, queues, signal } = input
  const names = busNames(namespace)
  const deadline = Date.now() + timeoutMs
  const model = await connect(amqpUrl)
  try {
    const channel = await model.createChannel()
    const isConsumed = async (queue: QueueName) => (await channel.checkQueue(names.queue(queue))).consumerCount > 0
    for (const queue of queues)
      while (!(await isConsumed(queue)) && !signal.aborted && Date.now() < deadline) await sleep(50)
  } finally {
    await model.close()
  }
}
