import amqp from 'amqplib'

/** Counts the messages that exchanges receive during `work`, and returns its result too. */
export async function countMessages<T>(
  { url, exchanges }: { url: string; exchanges: readonly string[] },
  work: () => Promise<T>,
): Promise<{ result: T; messages: number }> {
  const connection = await amqp.connect(url)
  const channel = await connection.createChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true })
  for (const exchange of exchanges) await channel.bindQueue(queue, exchange, '#')
  let messages = 0
  await channel.consume(queue, () => messages++, { noAck: true })
  const result = await work()
  await connection.close()
  return { result, messages }
}
