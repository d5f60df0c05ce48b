import amqp from 'amqplib'

/** Counts the messages that exchanges receive during `work`. */
export async function countMessages(
  { url, exchanges }: { url: string; exchanges: readonly string[] },
  work: () => Promise<unknown>,
): Promise<number> {
  const connection = await amqp.connect(url)
  const channel = await connection.createChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true })
  for (const exchange of exchanges) await channel.bindQueue(queue, exchange, '#')
  let count = 0
  await channel.consume(queue, () => count++, { noAck: true })
  await work()
  await connection.close()
  return count
}
