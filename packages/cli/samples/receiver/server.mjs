// Receives webhooks of Cobro at /webhooks, verifies each one, and prints it.
import { createServer } from 'node:http'
import { verifyWebhook, WebhookVerificationError } from '@cobro/sdk/webhooks'

const port = Number(process.env.PORT || 4242)
// Other machines reach it with LISTEN_HOST=0.0.0.0 only.
const host = process.env.LISTEN_HOST || 'localhost'
const secret = process.env.COBRO_WEBHOOK_SECRET
const path = '/webhooks'
const maxBytes = 1_048_576

/** What to do about a webhook that is refused, by the code of the error. */
const nextSteps = {
  header_missing: 'Nothing signed this request. Send an event with: cobro trigger payment.approved',
  timestamp_invalid: 'Something between the sender and this receiver changes headers.',
  timestamp_out_of_tolerance: 'Set the clock of this machine.',
  signature_mismatch:
    'Use the secret of the sender (cobro listen --write-secret .env, then start again), and verify the bytes of the body before anything parses them.',
  body_invalid: 'Send an event with: cobro trigger payment.approved',
}

if (!secret) fail('COBRO_WEBHOOK_SECRET is not set. Run: cobro listen --write-secret .env')

const server = createServer(async (request, response) => {
  const answer = (status, text) => response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`)
  if (request.method !== 'POST' || new URL(request.url, 'http://localhost').pathname !== path) {
    return answer(404, `Webhooks are received with POST ${path}.`)
  }
  try {
    const body = await rawBody(request)
    if (body === undefined) return answer(413, `A webhook has at most ${maxBytes} bytes.`)
    handle(await verifyWebhook(body, request.headers, secret))
    answer(200, 'ok')
  } catch (error) {
    console.error(`refused  ${error.message}`)
    const isRefused = error instanceof WebhookVerificationError
    if (isRefused) console.error(`         ${nextSteps[error.code]}`)
    answer(isRefused ? 400 : 500, error.message)
  }
})

server.on('error', error => {
  if (error.code !== 'EADDRINUSE') throw error
  fail(`Port ${port} is taken. Stop what uses it, or choose another one: PORT=${port + 1} npm start`)
})
server.listen(port, host, () => console.log(`Receiving webhooks at http://${host}:${port}${path}`))

/** Your code goes here. The same event can arrive more than once, with the same id. */
function handle({ event, data }) {
  console.log(`${event}  verified  ${JSON.stringify(data.metadata ?? {})}`)
}

/** Returns the bytes as they were received, since the signature covers them; undefined if there are too many. */
async function rawBody(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    // What follows is read too: a connection that closes before would lose the answer.
    if (bytes <= maxBytes) chunks.push(chunk)
  }
  return bytes > maxBytes ? undefined : Buffer.concat(chunks)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
