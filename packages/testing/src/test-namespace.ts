import { randomBytes } from 'node:crypto'
import { type Channel, connect } from 'amqplib'
import { testSetting } from './test-settings.ts'

/** A prefix for exchanges and queues that no other test uses. */
export interface TestNamespace {
  url: string
  namespace: string
  /** Returns a queue's number of ready messages, not unacknowledged ones, by its full name. */
  readyMessageCount: (queue: string) => Promise<number>
  /** Deletes queues and exchanges by their full names. Ignores names that do not exist. */
  cleanup: (declared: { queues?: readonly string[]; exchanges?: readonly string[] }) => Promise<void>
}

/** Creates a random `AMQP_NAMESPACE`. */
export function testNamespace(): TestNamespace {
  const url = testSetting('TEST_AMQP_URL')
  const namespace = `test-${randomBytes(8).toString('hex')}`
  return {
    url,
    namespace,
    readyMessageCount: queue => withChannel(url, async channel => (await channel.checkQueue(queue)).messageCount),
    cleanup: ({ queues = [], exchanges = [] }) =>
      withChannel(url, async channel => {
        for (const queue of queues) await channel.deleteQueue(queue)
        for (const exchange of exchanges) await channel.deleteExchange(exchange)
      }),
  }
}

async function withChannel<T>(url: string, work: (channel: Channel) => Promise<T>): Promise<T> {
  const model = await connect(url, { noDelay: true })
  try {
    const channel = await model.createChannel()
    const result = await work(channel)
    await channel.close()
    return result
  } finally {
    await model.close()
  }
}
