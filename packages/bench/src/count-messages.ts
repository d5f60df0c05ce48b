import amqp from 'amqplib'

/** Messages to count: all of an exchange, or those with a routing key if it is a direct exchange. */
export interface CountedMessages {
  exchange: string
  key?: string
}

/** Counts messages that are published during `work`, and returns its result too. */
export async function countMessages<T>(
  { url, counted }: { url: string; counted: readonly CountedMessages[] },
  work: () => Promise<T>,
): Promise<{ result: T; messages: number }> {
  const connection = await amqp.connect(url)
  const channel = await connection.createChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true })
  for (const { exchange, key = '#' } of counted) await channel.bindQueue(queue, exchange, key)
  let messages = 0
  await channel.consume(queue, () => messages++, { noAck: true })
  const result = await work()
  await connection.close()
  return { result, messages }
}
