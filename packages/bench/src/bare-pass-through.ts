import { identitySigner } from '@cobro/http'
import express from 'express'
import { Pool } from 'undici'

/**
 * The gateway's baseline: only Express and an undici pool in front of a service. Prints its port.
 * Renews its internal identity token every 15 s, because the service rejects tokens older than a minute.
 */
const renewEveryMs = 15_000
const { TARGET_URL = '', SIGNING_KEY = '{}', CALLER = '{}' } = process.env

const sign = await identitySigner(JSON.parse(SIGNING_KEY))
let identity = await sign(JSON.parse(CALLER), 'checkout')
setInterval(async () => {
  identity = await sign(JSON.parse(CALLER), 'checkout')
}, renewEveryMs)

const pool = new Pool(TARGET_URL, { connections: 256 })
const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.use(async (request, response) => {
  const headers = { 'x-cobro-identity': identity, accept: request.headers.accept ?? '*/*' }
  const answer = await pool.request({ method: 'GET', path: request.url, headers })
  response.writeHead(answer.statusCode, { 'content-type': String(answer.headers['content-type']) })
  answer.body.pipe(response)
})
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' && address ? address.port : 0}\n`)
})
// Exits when the benchmark exits or is killed.
process.stdin.once('end', () => process.exit(0)).resume()
