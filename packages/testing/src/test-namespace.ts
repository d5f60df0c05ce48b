import { randomBytes } from 'node:crypto'
import { type LoginName, topologyNames } from '@cobro/contracts/broker'
import { deleteLogins, prepareBroker } from '@cobro/local-stack'
import { type Channel, connect } from 'amqplib'
import { testSetting } from './test-settings.ts'

/** A prefix for exchanges and queues that no other test uses. */
export interface TestNamespace {
  /** The broker's URL as its administrator, for what no service may do. */
  url: string
  namespace: string
  /** Returns the broker's URL as a login of this namespace, with the rights of production. */
  login: (name: LoginName) => Promise<string>
  /** Returns a queue's number of ready messages, not unacknowledged ones, by its full name. */
  readyMessageCount: (queue: string) => Promise<number>
  /** Deletes a queue by its full name. */
  deleteQueue: (queue: string) => Promise<unknown>
  /** Deletes the topology and the logins. Ignores what does not exist. */
  cleanup: () => Promise<void>
}

/** Creates a random `AMQP_NAMESPACE`. Its logins are created when the first one is used. */
export function testNamespace(): TestNamespace {
  const url = testSetting('TEST_AMQP_URL')
  const namespace = `test-${randomBytes(8).toString('hex')}`
  const broker = { amqpUrl: url, apiUrl: testSetting('TEST_RABBITMQ_API_URL') }
  let logins: ReturnType<typeof prepareBroker> | undefined
  return {
    url,
    namespace,
    login: async name => {
      logins ??= prepareBroker({ ...broker, namespace })
      return (await logins).url(name)
    },
    readyMessageCount: queue => withChannel(url, async channel => (await channel.checkQueue(queue)).messageCount),
    deleteQueue: queue => withChannel(url, channel => Promise.resolve(channel.deleteQueue(queue))),
    cleanup: async () => {
      const { queues, exchanges } = topologyNames(namespace)
      await withChannel(url, async channel => {
        for (const queue of queues) await channel.deleteQueue(queue)
        for (const exchange of exchanges) await channel.deleteExchange(exchange)
      })
      if (await logins) await deleteLogins(broker.apiUrl, namespace)
    },
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
