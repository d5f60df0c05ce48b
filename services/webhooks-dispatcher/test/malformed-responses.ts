import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

const mebibyte = 1_048_576

/** Writes until the other side closes, as fast as it reads or once every `everyMs`. */
function keepWriting(socket: Socket, piece: string | Buffer, everyMs?: number): void {
  if (everyMs !== undefined) {
    const timer = setInterval(() => socket.write(piece), everyMs)
    socket.on('close', () => clearInterval(timer))
    return
  }
  const write = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', write)
  write()
}

const ok = 'HTTP/1.1 200 OK\r\n'
const chunk = 'x'.repeat(65_536)
const bomb = gzipSync(Buffer.alloc(100 * mebibyte))

type MalformedResponse = [what: string, serve: (socket: Socket) => void, expected: object, timeoutMs?: number]

/** Misbehaving receivers, the expected result of an attempt, and its timeout if that ends it. */
export const malformedResponses: MalformedResponse[] = [
  ['hangs', () => undefined, { status_code: null, error: 'timeout' }, 1_000],
  [
    'sends its headers slowly',
    socket => {
      socket.write(ok)
      keepWriting(socket, 'a', 100)
    },
    { status_code: null, error: 'timeout' },
    1_000,
  ],
  [
    'never ends its headers',
    socket => {
      socket.write(ok)
      keepWriting(socket, `x-filler: ${'y'.repeat(1_000)}\r\n`)
    },
    { status_code: null, error: 'response_unreadable' },
  ],
  [
    'never ends one header',
    socket => {
      socket.write(`${ok}x-filler: `)
      keepWriting(socket, chunk)
    },
    { status_code: null, error: 'response_unreadable' },
  ],
  [
    'sends endless early hints',
    socket => keepWriting(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 1),
    {
      status_code: null,
      error: 'timeout',
    },
    1_000,
  ],
  [
    'sends its body slowly',
    socket => {
      socket.write(`${ok}content-length: 1000\r\n\r\nz`)
      keepWriting(socket, 'z', 100)
    },
    { status_code: 200, error: null, response_body: expect.stringMatching(/^z+$/) },
    3_000,
  ],
  [
    'sends a body of 1 GiB',
    socket => {
      socket.write(`${ok}content-length: ${1024 * mebibyte}\r\n\r\n`)
      keepWriting(socket, chunk)
    },
    { status_code: 200, error: null, response_body: 'x'.repeat(1_024) },
  ],
  [
    'sends endless chunks',
    socket => {
      socket.write(`${ok}transfer-encoding: chunked\r\n\r\n`)
      keepWriting(socket, `10000\r\n${chunk}\r\n`)
    },
    { status_code: 200, error: null, response_body: 'x'.repeat(1_024) },
  ],
  [
    'never ends the size of a chunk',
    socket => {
      socket.write(`${ok}transfer-encoding: chunked\r\n\r\n`)
      keepWriting(socket, '0'.repeat(1_024), 5)
    },
    { status_code: 200, error: null, response_body: '' },
    3_000,
  ],
  [
    'sends a gzip bomb',
    socket => {
      socket.write(`${ok}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
      socket.end(bomb)
    },
    { status_code: 200, error: null, response_body: expect.any(String) },
  ],
  [
    'resets within its headers',
    socket => {
      socket.write('HTTP/1.1 200')
      socket.resetAndDestroy()
    },
    { status_code: null, error: 'connection_reset' },
  ],
  [
    'resets within its body',
    socket => {
      socket.write(`${ok}content-length: 1000\r\n\r\npart`, () => setImmediate(() => socket.resetAndDestroy()))
    },
    { status_code: 200, error: null },
  ],
  [
    'redirects to itself',
    socket => {
      socket.write('HTTP/1.1 307 Elsewhere\r\nlocation: /\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
    },
    { status_code: 307, error: null, response_body: '' },
  ],
  [
    'is gone',
    socket => {
      socket.write('HTTP/1.1 410 Gone\r\nconnection: close\r\ncontent-length: 4\r\n\r\ngone')
    },
    { status_code: 410, error: null, response_body: 'gone' },
  ],
  [
    'is busy',
    socket => {
      socket.write('HTTP/1.1 429 Busy\r\nretry-after: 60\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
    },
    { status_code: 429, error: null, response_body: '' },
  ],
  [
    'answers twice at once',
    socket => {
      socket.write(`${ok}content-length: 3\r\n\r\noneHTTP/1.1 410 Gone\r\ncontent-length: 3\r\n\r\ntwo`)
    },
    { status_code: 200, error: null, response_body: 'one' },
  ],
]
