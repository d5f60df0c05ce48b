import { setTimeout as sleep } from 'node:timers/promises'
import { busNames, type QueueName } from '@cobro/contracts/broker'
import { type Channel, connect } from 'amqplib'
import type { ReportProgress } from '../machine/progress.ts'
import { userError } from '../machine/user-error.ts'

const connectTimeoutMs = 5_000
const timeoutMs = 10_000
const notFound = 404

/**
 * Waits until each of these queues has a consumer. Reports those that have none after ten seconds: their services keep trying.
 * Throws a `UserError` if a queue does not exist, and what the signal says once it is aborted.
 */
export async function untilConsumed(input: {
  /** The administrator's URL of the broker. */
  amqpUrl: string
  namespace: string
  queues: readonly QueueName[]
  report: ReportProgress
  signal: AbortSignal
}): Promise<void> {
  const { amqpUrl, namespace, queues, report, signal } = input
  if (queues.length === 0) return
  const names = busNames(namespace)
  const deadline = Date.now() + timeoutMs
  await withChannel(amqpUrl, async channel => {
    for (const queue of queues) {
      const isConsumed = async () => (await channel.checkQueue(names.queue(queue))).consumerCount > 0
      while (!(await isConsumed())) {
        if (Date.now() > deadline) {
          report(`no service consumes ${queue} yet`)
          break
        }
        await sleep(50, undefined, { signal })
      }
    }
  })
}

async function withChannel(url: string, work: (channel: Channel) => Promise<void>): Promise<void> {
  const model = await connect(url, { timeout: connectTimeoutMs })
  // What fails also rejects the call that waits. Without a listener the event would end the process first.
  model.on('error', () => undefined)
  try {
    const channel = await model.createChannel()
    channel.on('error', () => undefined)
    await work(channel)
  } catch (error) {
    if ((error as { code?: unknown }).code !== notFound) throw error
    throw userError(
      'RabbitMQ no longer has the queues of this stack: run the command again, which declares them.',
      error,
    )
  } finally {
    await model.close().catch(() => undefined)
  }
}
