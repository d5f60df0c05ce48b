import { randomBytes } from 'node:crypto'
import { type Channel, connect } from 'amqplib'
import { testSetting } from './test-settings.ts'

/** A corner of the tests' broker that no other test uses: the prefix of its exchanges and queues. */
export interface TestNamespace {
  url: string
  namespace: string
  /** How many messages a queue holds that nobody has in hand, by its full name. */
  readyMessageCount: (queue: string) => Promise<number>
  /** Deletes queues and exchanges by their full names. A name that does not exist does no harm. */
  cleanup: (declared: { queues?: readonly string[]; exchanges?: readonly string[] }) => Promise<void>
}

/** Makes a name for `AMQP_NAMESPACE`. */
export function testNamespace(): TestNamespace {
  const url = testSetting('TEST_AMQP_URL')
  const namespace = `test-${randomBytes(8).toString('hex')}`
  return {
    url,
    namespace,
    readyMessageCount: queue => withChannel(url, async channel => (await channel.checkQueue(queue)).messageCount),
    cleanup: declared => withChannel(url, channel => cleanup(channel, declared)),
  }
}

async function cleanup(
  channel: Channel,
  { queues = [], exchanges = [] }: { queues?: readonly string[]; exchanges?: readonly string[] },
): Promise<void> {
  for (const queue of queues) await channel.deleteQueue(queue)
  for (const exchange of exchanges) await channel.deleteExchange(exchange)
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
