import { randomBytes } from 'node:crypto'
import { newId } from '@cobro/contracts'
import { z } from 'zod'
import { jsonText, keyRing, readConfig, serviceSettings } from '../config/config.ts'
import { updateCallContext, withCallContext } from './call-context.ts'
import { createLogger } from './logger.ts'

const lines: string[] = []
const logger = createLogger('checkout', 'info', { write: line => void lines.push(line) })
beforeEach(() => {
  lines.length = 0
})

test('a log line contains the message, time, level, service and call ids', () => {
  const [request_id, correlation_id] = [newId('req'), newId('corr')]
  withCallContext({ request_id }, () => {
    updateCallContext({ correlation_id })
    logger.warn({ port: 80 }, 'hello')
  })
  logger.debug('not heard')
  const line = { level: 'warn', time: expect.any(String), service: 'checkout', msg: 'hello' }
  expect(lines.map(text => JSON.parse(text))).toEqual([{ ...line, request_id, correlation_id, port: 80 }])
})

test('logging a whole configuration shows none of its secrets', () => {
  const bytes = randomBytes(32)
  const [password, apiKey, d] = ['pass/word@x', 'acquirer-key-1234', randomBytes(32).toString('base64url')]
  const schema = serviceSettings.extend({ ENCRYPTION_KEYS: keyRing, ACQUIRER_API_KEY: z.string(), SIGNING: jsonText })
  const config = readConfig(schema, {
    ...{ COBRO_ENV: 'sandbox', PORT: '80', ACQUIRER_API_KEY: apiKey },
    DATABASE_URL: `postgres://cobro:${password}@db/cobro`,
    AMQP_URL: `amqp://cobro:${password}@mq`,
    ENCRYPTION_KEYS: `k1:${bytes.toString('base64')}`,
    SIGNING: JSON.stringify({ kty: 'OKP', d }),
  })
  const error = Object.assign(new Error(`cannot use ${config.DATABASE_URL}`), { config })
  logger.info({ config }, 'settings')
  logger.error({ err: error }, 'settings')
  for (const line of lines) {
    for (const secret of [password, apiKey, d, bytes.join(), 'word@x']) expect(line).not.toContain(secret)
    expect(JSON.stringify(JSON.parse(line))).toContain('"id":"k1"')
  }
  expect(lines).toHaveLength(2)
})
