/** What the attack is, the text of its request after the credentials' headers, and the status of the only answer. */
type SmugglingRequest = [what: string, request: (headers: string) => string, status: number]

/** The request that is smuggled behind another one. */
const hidden = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
const chunked = 'Transfer-Encoding: chunked\r\n'
const noChunks = `0\r\n\r\n${hidden}`

const lengths = [
  ...['1,1', '5, 5', '0x5', '-5', '+5', '', '5 5', '5_0', '5e0', '5;a', '5.0', '\x0b5', '99999999999999999999'],
]

const framingHeaders = [
  'Content-Length: 5\r\nContent-Length: 5\r\n',
  'Content-Length: 0\r\nContent-Length: 5\r\n',
  'Content-Length: 0\r\ncontent-length: 5\r\n',
  'Content-Length : 5\r\n',
  'Content-Length\t: 5\r\n',
  'Content-Length:\r\n 5\r\n',
  'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
  'Content-Length: 5\r\nTRANSFER-ENCODING: chunked\r\n',
  'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\nContent-Length: 0\r\n',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
  'Transfer-Encoding : chunked\r\n',
  'Transfer-Encoding\t: chunked\r\n',
  'Transfer-Encoding\r\n: chunked\r\n',
  'Transfer-Encoding\0: chunked\r\n',
  'X-A: 1\r\n Transfer-Encoding: chunked\r\n',
  'X-A: 1\r\n\tTransfer-Encoding: chunked\r\n',
  'Transfer-Encoding:\r\n chunked\r\n',
  'X-A: 1\nTransfer-Encoding: chunked\r\n',
  'X-A: 1\rTransfer-Encoding: chunked\r\n',
]

const codings = [
  ...['identity', 'gzip', 'gzip, chunked', 'gzip,chunked', 'identity, chunked', 'chunked, identity', 'chunked, gzip'],
  ...['chunked, chunked', 'xchunked', 'chunkedx', '\x0bchunked', '\x0cchunked', '"chunked"', 'chunked;q=1'],
  ...['chunked\0', 'chunked\xa0', 'chunked\x0b', 'cow', 'trailers', ''],
]

const chunkSizes = [
  ...['0x5', '+5', '-5', ' 5', '', 'g', '5_', 'FFFFFFFFFFFFFFFF1', '5;a\nb', '5;\0', '5\n', '5\r', '5.0'],
]

const chunks = [
  '5\r\nabcde\n0\r\n\r\n',
  '5\r\nabcde0\r\n\r\n',
  '5\r\nabcdef\r\n0\r\n\r\n',
  '5\r\nabcd\r\n0\r\n\r\n',
  '5\r\nabcde\r\n0\n\n',
  '5\rabcde\r0\r\r',
  '5\r\nabcde\r\n0\r\nX A: 1\r\n\r\n',
  '5\r\nabcde\r\n0\r\n X-A: 1\r\n\r\n',
  '5\r\nabcde\r\n0\r\nContent-Length: 9\r\n\r\n',
  '5\r\nabcde\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n',
]

/**
 * Returns POSTs to a path whose length servers could read in two ways, each followed by another
 * request, `GET /smuggled`. A server must answer once, without reading what follows.
 */
export function smugglingRequests(path: string): SmugglingRequest[] {
  const post =
    (framing: string, body: string, version = '1.1') =>
    (headers: string) =>
      `POST ${path} HTTP/${version}\r\n${headers}${framing}\r\n${body}`
  const row = (what: string, part: string, request: SmugglingRequest[1], status = 400): SmugglingRequest => [
    `${what} ${JSON.stringify(part)}`,
    request,
    status,
  ]
  return [
    ...lengths.map(one => row('Content-Length', one, post(`Content-Length: ${one}\r\n`, `abcde${hidden}`))),
    ...framingHeaders.map(one => row('the framing headers', one, post(one, noChunks))),
    ...codings.map(one => row('Transfer-Encoding', one, post(`Transfer-Encoding: ${one}\r\n`, noChunks))),
    ...chunkSizes.map(one => row('a chunk of size', one, post(chunked, `${one}\r\nabcde\r\n${noChunks}`))),
    ...chunks.map(one => row('the chunks', one, post(chunked, one + hidden))),
    row('chunk extensions without end', '5;aaa', post(chunked, `5;${'a'.repeat(20_000)}\r\nabcde\r\n${noChunks}`), 413),
    row('chunks in', 'HTTP/1.0', post(`Connection: keep-alive\r\n${chunked}`, noChunks, '1.0')),
  ]
}
