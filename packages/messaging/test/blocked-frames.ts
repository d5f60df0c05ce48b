/** The frame with which RabbitMQ says that it blocks a connection: `connection.blocked` on channel 0. */
export const blockedFrame = (reason: string): Buffer =>
  frameOf(Buffer.from([0, 10, 0, 60, reason.length, ...Buffer.from(reason)]))

/** The frame with which it takes that back. */
export const unblockedFrame = (): Buffer => frameOf(Buffer.from([0, 10, 0, 61]))

function frameOf(method: Buffer): Buffer {
  const head = Buffer.alloc(7)
  head.writeUInt8(1, 0)
  head.writeUInt32BE(method.length, 3)
  return Buffer.concat([head, method, Buffer.from([0xce])])
}
