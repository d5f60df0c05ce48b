import { ApiError } from '@cobro/contracts'
import type { Logger } from '@cobro/runtime'
import express, { type Express } from 'express'
import { answerErrors } from './answer-error.ts'
import { isEnding } from './listen.ts'
import { logCalls } from './log-calls.ts'

interface AppOptions {
  /** Rejects while unready. Ignores the broker, whose restart must not make replicas unready. */
  ready: () => Promise<void>
  isUnavailable: (error: unknown) => boolean
  logger: Logger
}

/**
 * Returns an Express app with shared settings: exact paths, flat queries, no `X-Powered-By`, and no 304,
 * with which Express would answer `If-None-Match: *` although nothing here has an `ETag`.
 */
export function bareApp(): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  Object.defineProperty(app.request, 'fresh', { value: false })
  app.enable('strict routing')
  app.enable('case sensitive routing')
  app.set('query parser', 'simple')
  return app
}

/** Returns a service's app: its routes, health checks, JSON errors for all else and a call log. */
export function serviceApp(options: AppOptions, addRoutes: (app: Express) => void): Express {
  const app = bareApp()
  addHealth(app, options.ready, options.logger)
  app.use(logCalls(options.logger))
  addRoutes(app)
  finishApp(app, options)
  return app
}

/** Adds `/health/live` (process runs) and `/health/ready` (can serve calls), unauthenticated. */
export function addHealth(app: Express, ready: () => Promise<void>, logger: Logger): void {
  app.get('/health/live', (_request, response) => void response.json({ status: 'ok' }))
  app.get('/health/ready', async (request, response) => {
    if (isEnding(request)) return void response.status(503).json({ error: 'unavailable' })
    try {
      await ready()
      response.json({ status: 'ok' })
    } catch (error) {
      logger.warn({ err: error }, 'not ready')
      response.status(503).json({ error: 'unavailable' })
    }
  })
  app.all(['/health/live', '/health/ready'], () => {
    throw new ApiError('method_not_allowed', 'expected GET', { headers: { Allow: 'GET' } })
  })
}

/** Adds the handlers after the last route: 404 for unknown paths, and error responses. */
export function finishApp(app: Express, deps: { isUnavailable: (error: unknown) => boolean; logger: Logger }): void {
  app.use(() => {
    throw new ApiError('not_found')
  })
  app.use(answerErrors(deps))
}
