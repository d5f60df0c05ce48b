import { type Logger, type OnStop, startInterval } from '@cobro/runtime'
import { openSchema, serveApp } from '@cobro/service'
import type { Express } from 'express'
import { migrations } from '../migrations/all-acquirer-sandbox.ts'
import { addSandboxRoutes } from './app.ts'
import { ChargeEntity } from './charges/charge-entity.ts'
import type { Config } from './config.ts'
import { AcquirerDisputeEntity } from './disputes/acquirer-dispute-entity.ts'
import { KeyPairEntity } from './key-pairs/key-pair-entity.ts'
import { NotificationEntity } from './notifications/notification-entity.ts'
import { notificationPoster } from './notifications/post-notification.ts'
import { sendNotifications } from './notifications/send-notifications.ts'
import { AcquirerRefundEntity } from './refunds/acquirer-refund-entity.ts'
import { TokenEntity } from './tokens/token-entity.ts'
import { expireVouchers } from './vouchers/expire-vouchers.ts'
import { IssuedVoucherEntity } from './vouchers/issued-voucher-entity.ts'

export const entities = [
  KeyPairEntity,
  TokenEntity,
  ChargeEntity,
  AcquirerRefundEntity,
  IssuedVoucherEntity,
  AcquirerDisputeEntity,
  NotificationEntity,
]

export const schema = 'acquirer_sandbox'
const sendEveryMs = 250
const expireEveryMs = 1_000
/** The time to store the result of a request after its timeout. */
const leaseMarginMs = 5_000

/** Starts the service from top to bottom and returns its port. Stopping runs in reverse order. */
export async function startAcquirerSandbox(config: Config, onStop: OnStop, logger: Logger): Promise<number> {
  const db = openSchema(config.DATABASE_URL, { schema, entities }, onStop)
  const stop = new AbortController()
  const stopping = stop.signal
  const keys = { db, keyRing: config.ENCRYPTION_KEYS }

  const {
    NOTIFICATION_URL: url,
    NOTIFICATION_RETRY_DELAYS_MS: retryDelaysMs,
    NOTIFICATION_TIMEOUT_MS: timeoutMs,
  } = config
  const post = notificationPoster({ ...keys, url, timeoutMs, stopping })
  const leaseMs = timeoutMs + leaseMarginMs
  const send = () => sendNotifications({ db, post, retryDelaysMs, leaseMs, stopping, logger })
  onStop(startInterval(sendEveryMs, 'send notifications', send, logger).stop)
  onStop(startInterval(expireEveryMs, 'expire vouchers', () => expireVouchers(db), logger).stop)

  const deps = {
    ...keys,
    logger,
    apiKey: config.ACQUIRER_API_KEY,
    slowAnswerMs: config.SLOW_ANSWER_MS,
    refundDelayMs: config.REFUND_DELAY_MS,
    disputeDelayMs: config.DISPUTE_DELAY_MS,
    stopping,
  }
  const addRoutes = (app: Express) => addSandboxRoutes(app, deps)
  return serveApp(config, { db, migrations, addRoutes, endStreams: () => stop.abort() }, onStop, logger)
}
