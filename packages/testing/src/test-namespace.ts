import { randomBytes } from 'node:crypto'
import { connect } from 'amqplib'
import { testSetting } from './test-settings.ts'

/** A corner of the tests' broker that no other test uses: the prefix of its exchanges and queues. */
export interface TestNamespace {
  url: string
  namespace: string
  /** Deletes queues and exchanges by their full names. A name that does not exist does no harm. */
  cleanup: (declared: { queues?: readonly string[]; exchanges?: readonly string[] }) => Promise<void>
}

/** Makes a name for `AMQP_NAMESPACE`. */
export function testNamespace(): TestNamespace {
  const url = testSetting('TEST_AMQP_URL')
  const namespace = `test-${randomBytes(8).toString('hex')}`
  return { url, namespace, cleanup: declared => cleanup(url, declared) }
}

async function cleanup(
  url: string,
  { queues = [], exchanges = [] }: { queues?: readonly string[]; exchanges?: readonly string[] },
): Promise<void> {
  const model = await connect(url, { noDelay: true })
  try {
    const channel = await model.createChannel()
    for (const queue of queues) await channel.deleteQueue(queue)
    for (const exchange of exchanges) await channel.deleteExchange(exchange)
    await channel.close()
  } finally {
    await model.close()
  }
}
