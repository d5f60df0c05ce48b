import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A response on a raw connection. */
export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

interface RawOptions {
  /** Half-closes the connection after sending. */
  end?: boolean
  /** Sends each byte by itself. */
  byByte?: boolean
}

const timeoutMs = 60_000

/** Sends bytes unchanged to a port of this machine, and reads until the server closes the connection. */
export async function rawCall(port: number, text: string | Buffer, { end, byByte }: RawOptions = {}) {
  const received = await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, async () => {
      await (byByte ? writeBytes(socket, Buffer.from(text)) : socket.write(text))
      if (end) socket.end()
    })
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(Buffer.concat(chunks))
    }
    const timer = setTimeout(() => reject(new Error('the server did not close the connection')), timeoutMs)
    socket.on('data', chunk => chunks.push(chunk))
    socket.on('close', done)
    socket.on('error', done)
  })
  return parseAnswers(received.toString('latin1'))
}

async function writeBytes(socket: Socket, bytes: Buffer): Promise<void> {
  for (const byte of bytes) {
    socket.write(Buffer.of(byte))
    await nextTurn()
  }
}

function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = text; rest !== ''; ) {
    const headEnd = rest.indexOf('\r\n\r\n')
    const [statusLine = '', ...lines] = rest.slice(0, headEnd).split('\r\n')
    const headers = Object.fromEntries(
      lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const length = Number(headers['content-length'] ?? 0)
    const bodyAt = headEnd + 4
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, body: rest.slice(bodyAt, bodyAt + length) })
    rest = rest.slice(bodyAt + length)
  }
  return answers
}
